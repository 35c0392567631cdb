/* Stands in for the header of libstdc++ behind std::atomic::wait, std::latch, std::barrier and std::counting_semaphore: here
   nobody asks a number of times before it sleeps. Who waits for a value must be notified; latches and semaphores, which
   notify by themselves, wait in one operation. */
#ifndef _GLIBCXX_ATOMIC_WAIT_H
#define _GLIBCXX_ATOMIC_WAIT_H 1

#pragma GCC system_header

#include <bits/c++config.h>
#include <bits/functional_hash.h>
#include <bits/gthr.h>
#include <bits/std_mutex.h>
#include <bits/functexcept.h>
#include <ext/numeric_traits.h>

#if __cplusplus > 201703L
#define __cpp_lib_atomic_wait 201907L

extern "C" void quotient_spin(void);
extern "C" void quotient_wait_begin(const void *);
extern "C" void quotient_wait_end(const void *, bool);
extern "C" void quotient_notify(const void *, bool);

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
  namespace __detail
  {
    using __platform_wait_t = int;
    inline constexpr size_t __platform_wait_alignment = 4;

    inline void __thread_yield() noexcept { quotient_spin(); }
    inline void __thread_relax() noexcept { quotient_spin(); }

    struct __default_spin_policy { bool operator()() const noexcept { return false; } };

    template<typename _Pred, typename _Spin = __default_spin_policy>
      bool __atomic_spin(_Pred &__pred, _Spin = _Spin{}) noexcept { return __pred(); }

    template<typename _Tp>
      bool __atomic_compare(const _Tp &__a, const _Tp &__b) { return __builtin_memcmp(&__a, &__b, sizeof(_Tp)) == 0; }
  }

  template<typename _Tp, typename _ValFn>
    void __atomic_wait_address_v(const _Tp *__address, _Tp __old, _ValFn __vfn) noexcept
    {
      while (__detail::__atomic_compare(__old, __vfn()))
	{
	  quotient_wait_begin(__address);
	  quotient_wait_end(__address, __detail::__atomic_compare(__old, __vfn()));
	}
    }

  template<typename _Tp, typename _Pred>
    void __atomic_wait_address(const _Tp *, _Pred __pred) noexcept
    { while (!__pred()) quotient_spin(); }

  template<typename _Pred>
    void __atomic_wait_address_bare(const __detail::__platform_wait_t *, _Pred __pred) noexcept
    { while (!__pred()) quotient_spin(); }

  template<typename _Tp>
    void __atomic_notify_address(const _Tp *__address, bool __all) noexcept { quotient_notify(__address, __all); }

  inline void __atomic_notify_address_bare(const __detail::__platform_wait_t *, bool) noexcept { }
_GLIBCXX_END_NAMESPACE_VERSION
}
#endif
#endif
