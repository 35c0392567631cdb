/* Functions of the C library that take any number of arguments or call back into the program, and those with floating-point
   numbers. What they touch is told to Quotient, which does most of the work; `library.rs` has the table of all functions. */

#include "glue.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <string.h>

extern int quotient_print(const char *format, va_list arguments);
extern int quotient_print_into(char *to, size_t size, const char *format, va_list arguments);
extern int quotient_print_new(char **to, const char *format, va_list arguments);
extern int quotient_scan(const char *from, const char *format, va_list arguments);
extern void *quotient_real(const char *name);
extern const char *quotient_number_begin(const char *text);
extern void quotient_number_end(const char *text, const char *end, char **rest);

/* The function of the C library that is behind a name. */
#define REAL(type, name, ...) ((type (*)(__VA_ARGS__))quotient_real(name))

static int is_shown(FILE *file, const char *name) {
  if (file == stdout || file == stderr) return 1;
  quotient_unsupported_call(name);
  return 0;
}
static int is_shown_fd(int fd, const char *name) {
  if (fd == 1 || fd == 2) return 1;
  quotient_unsupported_call(name);
  return 0;
}

/* Printing. What compilers and libraries call when they check sizes has more arguments. */
#define WITH_LIST(last, call) \
  va_list arguments; \
  va_start(arguments, last); \
  int result = call; \
  va_end(arguments); \
  return result

int vprintf(const char *format, va_list arguments) { return quotient_print(format, arguments); }
int __vprintf_chk(int flag, const char *format, va_list arguments) { (void)flag; return quotient_print(format, arguments); }
int printf(const char *format, ...) { WITH_LIST(format, quotient_print(format, arguments)); }
int __printf_chk(int flag, const char *format, ...) { (void)flag; WITH_LIST(format, quotient_print(format, arguments)); }
int vfprintf(FILE *file, const char *format, va_list arguments) {
  return is_shown(file, "vfprintf") ? quotient_print(format, arguments) : -1;
}
int __vfprintf_chk(FILE *file, int flag, const char *format, va_list arguments) {
  (void)flag;
  return is_shown(file, "vfprintf") ? quotient_print(format, arguments) : -1;
}
int fprintf(FILE *file, const char *format, ...) {
  WITH_LIST(format, is_shown(file, "fprintf") ? quotient_print(format, arguments) : -1);
}
int __fprintf_chk(FILE *file, int flag, const char *format, ...) {
  (void)flag;
  WITH_LIST(format, is_shown(file, "fprintf") ? quotient_print(format, arguments) : -1);
}
int vdprintf(int fd, const char *format, va_list arguments) {
  return is_shown_fd(fd, "vdprintf") ? quotient_print(format, arguments) : -1;
}
int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments) {
  (void)flag;
  return is_shown_fd(fd, "vdprintf") ? quotient_print(format, arguments) : -1;
}
int dprintf(int fd, const char *format, ...) {
  WITH_LIST(format, is_shown_fd(fd, "dprintf") ? quotient_print(format, arguments) : -1);
}
int __dprintf_chk(int fd, int flag, const char *format, ...) {
  (void)flag;
  WITH_LIST(format, is_shown_fd(fd, "dprintf") ? quotient_print(format, arguments) : -1);
}
int vsprintf(char *to, const char *format, va_list arguments) {
  return quotient_print_into(to, SIZE_MAX, format, arguments);
}
int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list arguments) {
  (void)flag; (void)room;
  return quotient_print_into(to, SIZE_MAX, format, arguments);
}
int sprintf(char *to, const char *format, ...) {
  WITH_LIST(format, quotient_print_into(to, SIZE_MAX, format, arguments));
}
int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...) {
  (void)flag; (void)room;
  WITH_LIST(format, quotient_print_into(to, SIZE_MAX, format, arguments));
}
int vsnprintf(char *to, size_t size, const char *format, va_list arguments) {
  return quotient_print_into(to, size, format, arguments);
}
int __vsnprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, va_list arguments) {
  (void)flag; (void)room;
  return quotient_print_into(to, size, format, arguments);
}
int snprintf(char *to, size_t size, const char *format, ...) {
  WITH_LIST(format, quotient_print_into(to, size, format, arguments));
}
int __snprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, ...) {
  (void)flag; (void)room;
  WITH_LIST(format, quotient_print_into(to, size, format, arguments));
}
int vasprintf(char **to, const char *format, va_list arguments) { return quotient_print_new(to, format, arguments); }
int __vasprintf_chk(char **to, int flag, const char *format, va_list arguments) {
  (void)flag;
  return quotient_print_new(to, format, arguments);
}
int asprintf(char **to, const char *format, ...) { WITH_LIST(format, quotient_print_new(to, format, arguments)); }
int __asprintf_chk(char **to, int flag, const char *format, ...) {
  (void)flag;
  WITH_LIST(format, quotient_print_new(to, format, arguments));
}

/* Messages of err.h and error.h, and the end of the program. */
extern void quotient_output(const char *text, size_t length);
unsigned error_message_count = 0;
static void say_text(const char *text) { quotient_output(text, strlen(text)); }
static void complain(int number, const char *format, va_list arguments) {
  say_text("program: ");
  if (format) quotient_print(format, arguments);
  if (number >= 0) {
    if (format) say_text(": ");
    say_text(strerror(number));
  }
  say_text("\n");
}
void vwarn(const char *format, va_list arguments) { complain(errno, format, arguments); }
void vwarnx(const char *format, va_list arguments) { complain(-1, format, arguments); }
void verr(int status, const char *format, va_list arguments) { vwarn(format, arguments); exit(status); }
void verrx(int status, const char *format, va_list arguments) { vwarnx(format, arguments); exit(status); }
#define COMPLAIN(name, list_name) \
  void name(const char *format, ...) { \
    va_list arguments; \
    va_start(arguments, format); \
    list_name(format, arguments); \
    va_end(arguments); \
  }
#define COMPLAIN_AND_END(name, list_name) \
  void name(int status, const char *format, ...) { \
    va_list arguments; \
    va_start(arguments, format); \
    list_name(status, format, arguments); \
    va_end(arguments); \
  }
COMPLAIN(warn, vwarn)
COMPLAIN(warnx, vwarnx)
COMPLAIN_AND_END(err, verr)
COMPLAIN_AND_END(errx, verrx)
void error(int status, int number, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  complain(number ? number : -1, format, arguments);
  va_end(arguments);
  if (status) exit(status);
}
void error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...) {
  (void)file; (void)line;
  va_list arguments;
  va_start(arguments, format);
  complain(number ? number : -1, format, arguments);
  va_end(arguments);
  if (status) exit(status);
}

/* Reading from a text. */
#define SCAN(name, list_name) \
  int list_name(const char *from, const char *format, va_list arguments) { return quotient_scan(from, format, arguments); } \
  int name(const char *from, const char *format, ...) { WITH_LIST(format, quotient_scan(from, format, arguments)); }
#undef sscanf
#undef vsscanf
int quotient_sscanf(const char *, const char *, ...) __asm__("sscanf");
int quotient_vsscanf(const char *, const char *, va_list) __asm__("vsscanf");
int quotient_c99_sscanf(const char *, const char *, ...) __asm__("__isoc99_sscanf");
int quotient_c99_vsscanf(const char *, const char *, va_list) __asm__("__isoc99_vsscanf");
int quotient_c23_sscanf(const char *, const char *, ...) __asm__("__isoc23_sscanf");
int quotient_c23_vsscanf(const char *, const char *, va_list) __asm__("__isoc23_vsscanf");
SCAN(quotient_sscanf, quotient_vsscanf)
SCAN(quotient_c99_sscanf, quotient_c99_vsscanf)
SCAN(quotient_c23_sscanf, quotient_c23_vsscanf)

/* Numbers from texts. */
#define NUMBER(type, call, rest) \
  { \
    char *end; \
    const char *copy = quotient_number_begin(text); \
    type value = call; \
    quotient_number_end(text, end, rest); \
    return value; \
  }
#define FLOATING(type, name) REAL(type, name, const char *, char **)(copy, &end)
#define WHOLE REAL(long, "strtol", const char *, char **, int)(copy, &end, 10)
double strtod(const char *text, char **rest) NUMBER(double, FLOATING(double, "strtod"), rest)
float strtof(const char *text, char **rest) NUMBER(float, FLOATING(float, "strtof"), rest)
long double strtold(const char *text, char **rest) NUMBER(long double, FLOATING(long double, "strtold"), rest)
double atof(const char *text) NUMBER(double, FLOATING(double, "strtod"), 0)
int atoi(const char *text) NUMBER(int, WHOLE, 0)
long atol(const char *text) NUMBER(long, WHOLE, 0)
long long atoll(const char *text) NUMBER(long long, WHOLE, 0)

/* Results besides the one that is returned. */
#define PART(type, suffix) \
  type frexp##suffix(type x, int *exponent) { \
    quotient_range(exponent, sizeof *exponent, 1); \
    return REAL(type, "frexp" #suffix, type, int *)(x, exponent); \
  } \
  type modf##suffix(type x, type *whole) { \
    quotient_range(whole, sizeof *whole, 1); \
    return REAL(type, "modf" #suffix, type, type *)(x, whole); \
  } \
  type remquo##suffix(type x, type y, int *quotient) { \
    quotient_range(quotient, sizeof *quotient, 1); \
    return REAL(type, "remquo" #suffix, type, type, int *)(x, y, quotient); \
  } \
  void sincos##suffix(type x, type *sine, type *cosine) { \
    quotient_range(sine, sizeof *sine, 1); \
    quotient_range(cosine, sizeof *cosine, 1); \
    REAL(void, "sincos" #suffix, type, type *, type *)(x, sine, cosine); \
  }
PART(double, )
PART(float, f)
PART(long double, l)
double lgamma_r(double x, int *sign) {
  quotient_range(sign, sizeof *sign, 1);
  return REAL(double, "lgamma_r", double, int *)(x, sign);
}
float lgammaf_r(float x, int *sign) {
  quotient_range(sign, sizeof *sign, 1);
  return REAL(float, "lgammaf_r", float, int *)(x, sign);
}

/* Sorting and searching. An element goes to the first place behind all that are not larger, so equal ones keep their order.
   The comparing function tells of its own accesses. */
void qsort_r(void *array, size_t count, size_t size, int (*compare)(const void *, const void *, void *), void *more) {
  char *elements = array;
  if (count < 2 || size == 0) return;
  quotient_range(elements, count * size, 0);
  quotient_range(elements, count * size, 1);
  for (size_t i = 1; i < count; i++) {
    size_t low = 0, high = i;
    while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (compare(elements + i * size, elements + middle * size, more) < 0) high = middle;
      else low = middle + 1;
    }
    if (low == i) continue;
    for (size_t byte = 0; byte < size; byte++) {
      char last = elements[i * size + byte];
      for (size_t j = i; j > low; j--) elements[j * size + byte] = elements[(j - 1) * size + byte];
      elements[low * size + byte] = last;
    }
  }
  quotient_range(elements, count * size, 1);
}
static int compare_two(const void *a, const void *b, void *compare) {
  return ((int (*)(const void *, const void *))compare)(a, b);
}
void qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  qsort_r(array, count, size, compare_two, (void *)compare);
}
void *bsearch(const void *key, const void *array, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const char *element = (const char *)array + middle * size;
    int order = compare(key, element);
    if (order == 0) return (void *)element;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return 0;
}

/* Names that a program may declare itself, instead of including a header. */
extern unsigned quotient_nondet(unsigned options);
int __VERIFIER_nondet_int(void) { return (int)quotient_nondet(2); }
unsigned __VERIFIER_nondet_uint(void) { return quotient_nondet(2); }
_Bool __VERIFIER_nondet_bool(void) { return quotient_nondet(2); }
void quotient_ignores_local_write(void) {}
