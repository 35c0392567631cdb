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
int quotient_builtin_bcmp(const void *, const void *, __SIZE_TYPE__) QUOTIENT_THROWS_NOTHING __asm__("bcmp");
void quotient_builtin_bzero(void *, __SIZE_TYPE__) QUOTIENT_THROWS_NOTHING __asm__("bzero");
char *quotient_builtin_strncat(char *, const char *, __SIZE_TYPE__) QUOTIENT_THROWS_NOTHING __asm__("strncat");
int quotient_builtin_sprintf(char *, const char *, ...) QUOTIENT_THROWS_NOTHING __asm__("sprintf");
int quotient_builtin_snprintf(char *, __SIZE_TYPE__, const char *, ...) QUOTIENT_THROWS_NOTHING __asm__("snprintf");
int quotient_builtin_sprintf_chk(char *, int, __SIZE_TYPE__, const char *, ...) QUOTIENT_THROWS_NOTHING
    __asm__("__sprintf_chk");
int quotient_builtin_snprintf_chk(char *, __SIZE_TYPE__, int, __SIZE_TYPE__, const char *, ...) QUOTIENT_THROWS_NOTHING
    __asm__("__snprintf_chk");
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
#define __builtin_strncat quotient_builtin_strncat
#define __builtin_bzero quotient_builtin_bzero
#define __builtin_bcmp(...) QUOTIENT_UNLESS_CONSTANT(__builtin_bcmp(__VA_ARGS__), quotient_builtin_bcmp(__VA_ARGS__))
#define __builtin_sprintf quotient_builtin_sprintf
#define __builtin_snprintf quotient_builtin_snprintf
/* With _FORTIFY_SOURCE, functions are called by these. */
#define __builtin___memcpy_chk(to, from, size, room) quotient_builtin_memcpy(to, from, size)
#define __builtin___memmove_chk(to, from, size, room) quotient_builtin_memmove(to, from, size)
#define __builtin___mempcpy_chk(to, from, size, room) quotient_builtin_mempcpy(to, from, size)
#define __builtin___memset_chk(to, byte, size, room) quotient_builtin_memset(to, byte, size)
#define __builtin___strcpy_chk(to, from, room) quotient_builtin_strcpy(to, from)
#define __builtin___stpcpy_chk(to, from, room) quotient_builtin_stpcpy(to, from)
#define __builtin___strncpy_chk(to, from, size, room) quotient_builtin_strncpy(to, from, size)
#define __builtin___strcat_chk(to, from, room) quotient_builtin_strcat(to, from)
#define __builtin___strncat_chk(to, from, size, room) quotient_builtin_strncat(to, from, size)
#define __builtin___sprintf_chk quotient_builtin_sprintf_chk
#define __builtin___snprintf_chk quotient_builtin_snprintf_chk
