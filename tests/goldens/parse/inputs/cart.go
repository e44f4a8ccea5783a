// Package cart has carts.
package cart

import "fmt"

// Cart is a cart.
type Cart struct {
	Size int
}

// Add adds an item.
func (c *Cart) Add(item string) int {
	c.Size++
	return c.Size
}

func New() *Cart { return &Cart{} }
