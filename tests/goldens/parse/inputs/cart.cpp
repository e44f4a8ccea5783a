#include <string>

namespace shop {

/// A cart.
class Cart {
 public:
  int add(const std::string& item);
  ~Cart();

 private:
  int size_ = 0;
};

int Cart::add(const std::string& item) {
  return ++size_;
}

}  // namespace shop
