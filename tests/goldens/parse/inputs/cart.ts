import { Item } from "./item";

/** A cart. */
export class Cart {
  size = 0;

  add(item: Item): number {
    return ++this.size;
  }
}

export const total = (cart: Cart): number => cart.size;

export enum Kind { Small, Large }
