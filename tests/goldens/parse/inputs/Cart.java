package com.example.shop;

import java.util.List;

/** A cart. */
public class Cart {
    private int size = 0;

    public Cart() {}

    /** Adds an item. */
    @Override
    public int add(String item) {
        return ++size;
    }

    enum Kind { SMALL, LARGE }
}
