/* std::thread::join and detach change the object, which the library does out of sight. Here they are compiled with the
   program, and always where they are called: of two functions of one name, the linker takes the library's. */
#pragma GCC system_header
#include_next <bits/std_thread.h>
#ifndef QUOTIENT_STD_THREAD_H
#define QUOTIENT_STD_THREAD_H

#include <cerrno>
#include <bits/functexcept.h>

#if __cplusplus >= 201103L && defined(_GLIBCXX_HAS_GTHREADS)
namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
  __attribute__((always_inline)) inline void thread::join()
  {
    int problem = _M_id == id() ? EINVAL : __gthread_join(_M_id._M_thread, nullptr);
    if (problem)
      __throw_system_error(problem);
    _M_id = id();
  }

  __attribute__((always_inline)) inline void thread::detach()
  {
    int problem = _M_id == id() ? EINVAL : __gthread_detach(_M_id._M_thread);
    if (problem)
      __throw_system_error(problem);
    _M_id = id();
  }
_GLIBCXX_END_NAMESPACE_VERSION
}
#endif
#endif
