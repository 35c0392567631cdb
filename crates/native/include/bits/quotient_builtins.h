/* GCC expands these after accesses have been instrumented; so they are calls of the functions. What is constant stays. */
#ifdef __cplusplus
extern "C" {
#define QUOTIENT_THROWS_NOTHING noexcept(true)
#if __cplusplus < 201103L
#undef QUOTIENT_THROWS_NOTHING
#define QUOTIENT_THROWS_NOTHING throw()
#endif
#else
#define QUOTIENT_THROWS_NOTHING
#endif
void *quotient_builtin_memcpy(void *, const void *, __SIZE_TYPE__) QUOTIENT_THROWS_NOTHING __asm__("memcpy");
void *quotient_builtin_memmove(void *, const void *, __SIZE_TYPE__) QUOTIENT_THROWS_NOTHING __asm__("memmove");
void *quotient_builtin_mempcpy(void *, const void *, __SIZE_TYPE__) QUOTIENT_THROWS_NOTHING __asm__("mempcpy");
void *quotient_builtin_memset(void *, int, __SIZE_TYPE__) QUOTIENT_THROWS_NOTHING __asm__("memset");
int quotient_builtin_memcmp(const void *, const void *, __SIZE_TYPE__) QUOTIENT_THROWS_NOTHING __asm__("memcmp");
char *quotient_builtin_strcpy(char *, const char *) QUOTIENT_THROWS_NOTHING __asm__("strcpy");
char *quotient_builtin_stpcpy(char *, const char *) QUOTIENT_THROWS_NOTHING __asm__("stpcpy");
char *quotient_builtin_strncpy(char *, const char *, __SIZE_TYPE__) QUOTIENT_THROWS_NOTHING __asm__("strncpy");
char *quotient_builtin_strcat(char *, const char *) QUOTIENT_THROWS_NOTHING __asm__("strcat");
int quotient_builtin_strcmp(const char *, const char *) QUOTIENT_THROWS_NOTHING __asm__("strcmp");
int quotient_builtin_strncmp(const char *, const char *, __SIZE_TYPE__) QUOTIENT_THROWS_NOTHING __asm__("strncmp");
#ifdef __cplusplus
}
#define QUOTIENT_UNLESS_CONSTANT(builtin, function) (__builtin_is_constant_evaluated() ? builtin : function)
#else
#define QUOTIENT_UNLESS_CONSTANT(builtin, function) \
  __builtin_choose_expr(__builtin_constant_p(builtin), builtin, function)
#endif
#define __builtin_memcpy quotient_builtin_memcpy
#define __builtin_memmove quotient_builtin_memmove
#define __builtin_mempcpy quotient_builtin_mempcpy
#define __builtin_memset quotient_builtin_memset
#define __builtin_strcpy quotient_builtin_strcpy
#define __builtin_stpcpy quotient_builtin_stpcpy
#define __builtin_strncpy quotient_builtin_strncpy
#define __builtin_strcat quotient_builtin_strcat
#define __builtin_memcmp(...) \
  QUOTIENT_UNLESS_CONSTANT(__builtin_memcmp(__VA_ARGS__), quotient_builtin_memcmp(__VA_ARGS__))
#define __builtin_strcmp(...) \
  QUOTIENT_UNLESS_CONSTANT(__builtin_strcmp(__VA_ARGS__), quotient_builtin_strcmp(__VA_ARGS__))
#define __builtin_strncmp(...) \
  QUOTIENT_UNLESS_CONSTANT(__builtin_strncmp(__VA_ARGS__), quotient_builtin_strncmp(__VA_ARGS__))
