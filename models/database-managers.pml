// Data base managers: N sites keep copies of a data base. A site that wants to update reserves the
// (single) right to do so, sends the update to all other sites and waits for all acknowledgements.
// Checked: no deadlock. `local`, `xr` and `xs` are what lets partial order reduction work here, if it is trusted
// (`--count-as spin`): all sites use the `local` variable, and a site that waits inside an atomic sequence could be seen.
//
// expect verdict=holds
// expect por=off states=32 matched=15 transitions=47 errors=0
// expect por=on states=32 matched=15 transitions=47 errors=0
// expect por=spin states=20 matched=3 transitions=23 errors=0
// expect -DN=7 por=off states=5112 matched=15323 transitions=20435 errors=0
// expect -DN=7 por=spin states=100 matched=7 transitions=107 errors=0
// expect -DN=8 por=off states=17506 matched=64168 transitions=81674 errors=0
// expect -DN=8 por=spin states=130 matched=8 transitions=138 errors=0
// expect -DN=9 por=off states=59060 matched=255897 transitions=314957 errors=0
// expect -DN=9 por=spin states=164 matched=9 transitions=173 errors=0

#ifndef N
#define N 3
#endif

/* 2 <= N <= 30; EACH(X) is X(0) X(1) .. X(N-1) */
#define EACH_2(X) X(0) X(1)
#define EACH_3(X) EACH_2(X) X(2)
#define EACH_4(X) EACH_3(X) X(3)
#define EACH_5(X) EACH_4(X) X(4)
#define EACH_6(X) EACH_5(X) X(5)
#define EACH_7(X) EACH_6(X) X(6)
#define EACH_8(X) EACH_7(X) X(7)
#define EACH_9(X) EACH_8(X) X(8)
#define EACH_10(X) EACH_9(X) X(9)
#define EACH_11(X) EACH_10(X) X(10)
#define EACH_12(X) EACH_11(X) X(11)
#define EACH_13(X) EACH_12(X) X(12)
#define EACH_14(X) EACH_13(X) X(13)
#define EACH_15(X) EACH_14(X) X(14)
#define EACH_16(X) EACH_15(X) X(15)
#define EACH_17(X) EACH_16(X) X(16)
#define EACH_18(X) EACH_17(X) X(17)
#define EACH_19(X) EACH_18(X) X(18)
#define EACH_20(X) EACH_19(X) X(19)
#define EACH_21(X) EACH_20(X) X(20)
#define EACH_22(X) EACH_21(X) X(21)
#define EACH_23(X) EACH_22(X) X(22)
#define EACH_24(X) EACH_23(X) X(23)
#define EACH_25(X) EACH_24(X) X(24)
#define EACH_26(X) EACH_25(X) X(25)
#define EACH_27(X) EACH_26(X) X(26)
#define EACH_28(X) EACH_27(X) X(27)
#define EACH_29(X) EACH_28(X) X(28)
#define EACH_30(X) EACH_29(X) X(29)

#if N == 2
#define EACH(X) EACH_2(X)
#elif N == 3
#define EACH(X) EACH_3(X)
#elif N == 4
#define EACH(X) EACH_4(X)
#elif N == 5
#define EACH(X) EACH_5(X)
#elif N == 6
#define EACH(X) EACH_6(X)
#elif N == 7
#define EACH(X) EACH_7(X)
#elif N == 8
#define EACH(X) EACH_8(X)
#elif N == 9
#define EACH(X) EACH_9(X)
#elif N == 10
#define EACH(X) EACH_10(X)
#elif N == 11
#define EACH(X) EACH_11(X)
#elif N == 12
#define EACH(X) EACH_12(X)
#elif N == 13
#define EACH(X) EACH_13(X)
#elif N == 14
#define EACH(X) EACH_14(X)
#elif N == 15
#define EACH(X) EACH_15(X)
#elif N == 16
#define EACH(X) EACH_16(X)
#elif N == 17
#define EACH(X) EACH_17(X)
#elif N == 18
#define EACH(X) EACH_18(X)
#elif N == 19
#define EACH(X) EACH_19(X)
#elif N == 20
#define EACH(X) EACH_20(X)
#elif N == 21
#define EACH(X) EACH_21(X)
#elif N == 22
#define EACH(X) EACH_22(X)
#elif N == 23
#define EACH(X) EACH_23(X)
#elif N == 24
#define EACH(X) EACH_24(X)
#elif N == 25
#define EACH(X) EACH_25(X)
#elif N == 26
#define EACH(X) EACH_26(X)
#elif N == 27
#define EACH(X) EACH_27(X)
#elif N == 28
#define EACH(X) EACH_28(X)
#elif N == 29
#define EACH(X) EACH_29(X)
#elif N == 30
#define EACH(X) EACH_30(X)
#endif

#define ASK(j)      if :: i != j -> req[j]!1 :: else fi;
#define COLLECT(j)  if :: i != j -> ack[j]?1 :: else fi;
#define ANSWERED(j) (i == j || nempty(ack[j])) &&
#define START(j)    run DBM(j, req[j], ack[j]);

chan req[N] = [1] of { bit };
chan ack[N] = [1] of { bit };

local bool busy;     /* someone holds the right to update */
bool flag[N];        /* site i is updating */

proctype DBM(byte i; chan in; chan out)
{
   xr in;
   xs out;

   do
   :: atomic { !busy -> busy = 1 };
      atomic {
         flag[i] = 1;
         EACH(ASK)
      };
      atomic {
         EACH(ANSWERED) true ->
         EACH(COLLECT)
         flag[i] = 0;
         busy = 0
      }
   :: in?1 -> out!1
   od
}

init {
   atomic {
      EACH(START)
   }
}
