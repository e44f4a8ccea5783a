#include <stdio.h>

#define MAX_ITEMS 3

typedef struct {
    int size;
} cart;

enum kind { SMALL, LARGE };

/* Adds an item. */
int cart_add(cart *c, const char *item) {
    c->size++;
    return c->size;
}
