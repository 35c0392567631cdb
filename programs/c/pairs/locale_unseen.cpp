// What assigning and comparing locales does to memory is not seen, and the answer says so.
// expect verdict=holds notes=std::locale::operator=
#include <locale>
static std::locale one;
int main() {
  one = std::locale::classic();
}
