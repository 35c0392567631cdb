/* Stands in for the header of libstdc++ behind waiting with a limit on time. The time can be over at every moment, so such
   a wait asks once: that it waits and then succeeds is the execution in which it asks later. If it fails, the time is over. */
#ifndef _GLIBCXX_ATOMIC_TIMED_WAIT_H
#define _GLIBCXX_ATOMIC_TIMED_WAIT_H 1

#pragma GCC system_header

#include <bits/atomic_wait.h>

#if __cplusplus > 201703L
#include <bits/chrono.h>

extern "C" void quotient_pass_for(unsigned long);
extern "C" void quotient_pass_until(unsigned long);

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
  namespace __detail
  {
    template<typename _Rep, typename _Period>
      unsigned long __nanoseconds(const chrono::duration<_Rep, _Period> &__time)
      {
	using __seconds = chrono::duration<double>;
	if (__seconds(__time).count() <= 0) return 0;
	if (__seconds(__time).count() > 9e9) return ~0UL >> 1;
	return chrono::ceil<chrono::nanoseconds>(__time).count();
      }

    template<typename _Rep, typename _Period>
      bool __passes(const chrono::duration<_Rep, _Period> &__time)
      { quotient_pass_for(__nanoseconds(__time)); return false; }

    template<typename _Clock, typename _Dur>
      bool __passes(const chrono::time_point<_Clock, _Dur> &__time)
      {
	if constexpr (is_same_v<_Clock, chrono::steady_clock> || is_same_v<_Clock, chrono::system_clock>)
	  quotient_pass_until(__nanoseconds(__time.time_since_epoch()));
	else
	  quotient_pass_for(__nanoseconds(__time - _Clock::now()));
	return false;
      }
  }

  template<typename _Tp, typename _ValFn, typename _Time>
    bool __atomic_wait_address_until_v(const _Tp *, _Tp &&__old, _ValFn &&__vfn, const _Time &__time) noexcept
    { return !__detail::__atomic_compare(__old, __vfn()) || __detail::__passes(__time); }

  template<typename _Tp, typename _ValFn, typename _Time>
    bool __atomic_wait_address_for_v(const _Tp *, _Tp &&__old, _ValFn &&__vfn, const _Time &__time) noexcept
    { return !__detail::__atomic_compare(__old, __vfn()) || __detail::__passes(__time); }

  template<typename _Tp, typename _Pred, typename _Time>
    bool __atomic_wait_address_until(const _Tp *, _Pred __pred, const _Time &__time) noexcept
    { return __pred() || __detail::__passes(__time); }

  template<typename _Tp, typename _Pred, typename _Time>
    bool __atomic_wait_address_for(const _Tp *, _Pred __pred, const _Time &__time) noexcept
    { return __pred() || __detail::__passes(__time); }

  template<typename _Pred, typename _Time>
    bool __atomic_wait_address_until_bare(const __detail::__platform_wait_t *, _Pred __pred, const _Time &__time) noexcept
    { return __pred() || __detail::__passes(__time); }

  template<typename _Pred, typename _Time>
    bool __atomic_wait_address_for_bare(const __detail::__platform_wait_t *, _Pred __pred, const _Time &__time) noexcept
    { return __pred() || __detail::__passes(__time); }
_GLIBCXX_END_NAMESPACE_VERSION
}
#endif
#endif
