const math = require("math");

class Cart {
  add(item) {
    return item;
  }
}

const total = function (cart) {
  return cart.size;
};

module.exports.empty = () => new Cart();
