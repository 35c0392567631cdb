// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=use-after-free cflags=-DWRONG with=gcc opt=0
#include <regex>
#include <string>
int main() {
  std::regex pattern("(a+)b");
  std::smatch match;
#ifdef WRONG
  {
    std::string text = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxaab";
    std::regex_search(text, match, pattern);
  }
#else
  std::string text = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxaab";
  std::regex_search(text, match, pattern);
#endif
  return match[1].str().size() != 2;
}
