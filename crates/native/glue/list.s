# Made from the table in src/calls/imports.rs by one of its tests.
	quick __tsan_read1, 80
	quick __tsan_write1, 88
	full __tsan_volatile_read1, 96
	full __tsan_volatile_write1, 104
	quick __tsan_unaligned_read1, 112
	quick __tsan_unaligned_write1, 120
	full __tsan_unaligned_volatile_read1, 128
	full __tsan_unaligned_volatile_write1, 136
	quick __tsan_read_write1, 144
	quick __tsan_unaligned_read_write1, 152
	quick __tsan_read2, 160
	quick __tsan_write2, 168
	full __tsan_volatile_read2, 176
	full __tsan_volatile_write2, 184
	quick __tsan_unaligned_read2, 192
	quick __tsan_unaligned_write2, 200
	full __tsan_unaligned_volatile_read2, 208
	full __tsan_unaligned_volatile_write2, 216
	quick __tsan_read_write2, 224
	quick __tsan_unaligned_read_write2, 232
	quick __tsan_read4, 240
	quick __tsan_write4, 248
	full __tsan_volatile_read4, 256
	full __tsan_volatile_write4, 264
	quick __tsan_unaligned_read4, 272
	quick __tsan_unaligned_write4, 280
	full __tsan_unaligned_volatile_read4, 288
	full __tsan_unaligned_volatile_write4, 296
	quick __tsan_read_write4, 304
	quick __tsan_unaligned_read_write4, 312
	quick __tsan_read8, 320
	quick __tsan_write8, 328
	full __tsan_volatile_read8, 336
	full __tsan_volatile_write8, 344
	quick __tsan_unaligned_read8, 352
	quick __tsan_unaligned_write8, 360
	full __tsan_unaligned_volatile_read8, 368
	full __tsan_unaligned_volatile_write8, 376
	quick __tsan_read_write8, 384
	quick __tsan_unaligned_read_write8, 392
	quick __tsan_read16, 400
	quick __tsan_write16, 408
	full __tsan_volatile_read16, 416
	full __tsan_volatile_write16, 424
	quick __tsan_unaligned_read16, 432
	quick __tsan_unaligned_write16, 440
	full __tsan_unaligned_volatile_read16, 448
	full __tsan_unaligned_volatile_write16, 456
	quick __tsan_read_write16, 464
	quick __tsan_unaligned_read_write16, 472
	full __tsan_atomic8_load, 480
	full __tsan_atomic8_store, 488
	full __tsan_atomic8_exchange, 496
	full __tsan_atomic8_fetch_add, 504
	full __tsan_atomic8_fetch_sub, 512
	full __tsan_atomic8_fetch_and, 520
	full __tsan_atomic8_fetch_or, 528
	full __tsan_atomic8_fetch_xor, 536
	full __tsan_atomic8_fetch_nand, 544
	full __tsan_atomic8_compare_exchange_strong, 552
	full __tsan_atomic8_compare_exchange_weak, 560
	full __tsan_atomic8_compare_exchange_val, 568
	full __tsan_atomic16_load, 576
	full __tsan_atomic16_store, 584
	full __tsan_atomic16_exchange, 592
	full __tsan_atomic16_fetch_add, 600
	full __tsan_atomic16_fetch_sub, 608
	full __tsan_atomic16_fetch_and, 616
	full __tsan_atomic16_fetch_or, 624
	full __tsan_atomic16_fetch_xor, 632
	full __tsan_atomic16_fetch_nand, 640
	full __tsan_atomic16_compare_exchange_strong, 648
	full __tsan_atomic16_compare_exchange_weak, 656
	full __tsan_atomic16_compare_exchange_val, 664
	full __tsan_atomic32_load, 672
	full __tsan_atomic32_store, 680
	full __tsan_atomic32_exchange, 688
	full __tsan_atomic32_fetch_add, 696
	full __tsan_atomic32_fetch_sub, 704
	full __tsan_atomic32_fetch_and, 712
	full __tsan_atomic32_fetch_or, 720
	full __tsan_atomic32_fetch_xor, 728
	full __tsan_atomic32_fetch_nand, 736
	full __tsan_atomic32_compare_exchange_strong, 744
	full __tsan_atomic32_compare_exchange_weak, 752
	full __tsan_atomic32_compare_exchange_val, 760
	full __tsan_atomic64_load, 768
	full __tsan_atomic64_store, 776
	full __tsan_atomic64_exchange, 784
	full __tsan_atomic64_fetch_add, 792
	full __tsan_atomic64_fetch_sub, 800
	full __tsan_atomic64_fetch_and, 808
	full __tsan_atomic64_fetch_or, 816
	full __tsan_atomic64_fetch_xor, 824
	full __tsan_atomic64_fetch_nand, 832
	full __tsan_atomic64_compare_exchange_strong, 840
	full __tsan_atomic64_compare_exchange_weak, 848
	full __tsan_atomic64_compare_exchange_val, 856
	full __tsan_atomic128_load, 864
	full __tsan_atomic128_store, 872
	full __tsan_atomic128_exchange, 880
	full __tsan_atomic128_fetch_add, 888
	full __tsan_atomic128_fetch_sub, 896
	full __tsan_atomic128_fetch_and, 904
	full __tsan_atomic128_fetch_or, 912
	full __tsan_atomic128_fetch_xor, 920
	full __tsan_atomic128_fetch_nand, 928
	full __tsan_atomic128_compare_exchange_strong, 936
	full __tsan_atomic128_compare_exchange_weak, 944
	full __tsan_atomic128_compare_exchange_val, 952
	quick __tsan_func_entry, 960
	quick __tsan_func_exit, 968
	quick __sanitizer_cov_trace_pc, 976
	quick __tsan_ignore_thread_begin, 984
	quick __tsan_ignore_thread_end, 992
	quick __tsan_atomic_signal_fence, 1000
	quick __tsan_read_range, 1008
	quick __tsan_write_range, 1016
	quick __tsan_vptr_read, 1024
	quick __tsan_vptr_update, 1032
	quick __tsan_memcpy, 1040
	quick __tsan_memmove, 1048
	quick __tsan_memset, 1056
	quick memcpy, 1064
	quick memmove, 1072
	quick memset, 1080
	quick memcmp, 1088
	quick __memcpy_chk, 1096
	quick __memmove_chk, 1104
	quick __memset_chk, 1112
	quick __memcmpeq, 1120
	quick quotient_real, 1128
	quick quotient_range, 1136
	quick __atomic_is_lock_free, 1144
	quick __tls_get_addr, 1152
	full __tsan_atomic_thread_fence, 1160
	full quotient_flush, 1168
	full quotient_weak_exchange, 1176
	full __atomic_load_16, 1184
	full __atomic_store_16, 1192
	full __atomic_exchange_16, 1200
	full __atomic_compare_exchange_16, 1208
	full __atomic_fetch_add_16, 1216
	full __atomic_fetch_sub_16, 1224
	full __atomic_fetch_and_16, 1232
	full __atomic_fetch_or_16, 1240
	full __atomic_fetch_xor_16, 1248
	full __atomic_fetch_nand_16, 1256
	full __atomic_load, 1264
	full __atomic_store, 1272
	full __atomic_exchange, 1280
	full __atomic_compare_exchange, 1288
	full pthread_create, 1296
	full pthread_join, 1304
	full pthread_detach, 1312
	full quotient_thread_exit, 1320
	full pthread_self, 1328
	full pthread_key_create, 1336
	full pthread_key_delete, 1344
	full pthread_getspecific, 1352
	full pthread_setspecific, 1360
	full __cxa_thread_atexit, 1368
	full __cxa_thread_atexit_impl, 1376
	full pthread_mutex_init, 1384
	full pthread_mutex_destroy, 1392
	full pthread_mutex_lock, 1400
	full pthread_mutex_trylock, 1408
	full pthread_mutex_timedlock, 1416
	full pthread_mutex_clocklock, 1424
	full pthread_mutex_unlock, 1432
	full pthread_cond_init, 1440
	full pthread_cond_destroy, 1448
	full pthread_cond_wait, 1456
	full pthread_cond_timedwait, 1464
	full pthread_cond_clockwait, 1472
	full pthread_cond_signal, 1480
	full pthread_cond_broadcast, 1488
	full pthread_rwlock_init, 1496
	full pthread_rwlock_destroy, 1504
	full pthread_rwlock_rdlock, 1512
	full pthread_rwlock_tryrdlock, 1520
	full pthread_rwlock_timedrdlock, 1528
	full pthread_rwlock_clockrdlock, 1536
	full pthread_rwlock_wrlock, 1544
	full pthread_rwlock_trywrlock, 1552
	full pthread_rwlock_timedwrlock, 1560
	full pthread_rwlock_clockwrlock, 1568
	full pthread_rwlock_unlock, 1576
	full pthread_barrier_init, 1584
	full pthread_barrier_destroy, 1592
	full pthread_barrier_wait, 1600
	full pthread_spin_init, 1608
	full pthread_spin_destroy, 1616
	full pthread_spin_lock, 1624
	full pthread_spin_trylock, 1632
	full pthread_spin_unlock, 1640
	full sem_init, 1648
	full sem_destroy, 1656
	full sem_wait, 1664
	full sem_trywait, 1672
	full sem_timedwait, 1680
	full sem_clockwait, 1688
	full sem_post, 1696
	full sem_getvalue, 1704
	full quotient_once_begin, 1712
	full quotient_once_end, 1720
	full quotient_once_abort, 1728
	full __cxa_guard_acquire, 1736
	full __cxa_guard_release, 1744
	full __cxa_guard_abort, 1752
	full quotient_futex_wait, 1760
	full pthread_tryjoin_np, 1768
	full pthread_timedjoin_np, 1776
	full pthread_clockjoin_np, 1784
	full quotient_now, 1792
	full quotient_pass_for, 1800
	full quotient_pass_until, 1808
	full quotient_futex_wake, 1816
	full quotient_assume_, 1824
	full quotient_nondet, 1832
	full quotient_spin, 1840
	full sched_yield, 1848
	full quotient_spawn_symmetric, 1856
	full quotient_primary_begin, 1864
	full quotient_primary_end, 1872
	full quotient_help, 1880
	full quotient_helped_begin, 1888
	full quotient_helping_begin, 1896
	full quotient_helped_end, 1904
	full quotient_deed, 1912
	full quotient_wait_begin, 1920
	full quotient_wait_end, 1928
	full quotient_notify, 1936
	full quotient_final_begin, 1944
	full quotient_final_end, 1952
	full __assert_fail, 1960
	full abort, 1968
	full quotient_exit, 1976
	full quotient_exit_now, 1984
	full quotient_quick_exit, 1992
	full quotient_at_quick_exit, 2000
	full __cxa_atexit, 2008
	full quotient_output, 2016
	full quotient_stream_buffer, 2024
	full quotient_unsupported_call, 2032
	full quotient_counted, 2040
	quick quotient_declared1, 2048
	quick quotient_declared2, 2056
	quick quotient_declared4, 2064
	quick quotient_declared8, 2072
	quick quotient_declared16, 2080
	quick quotient_declared_range, 2088
	quick quotient_declared_memset, 2096
	quick quotient_declared_memcpy, 2104
	full __ubsan_handle_out_of_bounds, 2112
	full __ubsan_handle_out_of_bounds_abort, 2120
	full __ubsan_handle_vla_bound_not_positive, 2128
	full __ubsan_handle_vla_bound_not_positive_abort, 2136
	full quotient_declared_block, 2144
	full quotient_check_made, 2152
	full quotient_check_attributes, 2160
	full quotient_check_timed, 2168
	full malloc, 2176
	full calloc, 2184
	full realloc, 2192
	full free, 2200
	full aligned_alloc, 2208
	full memalign, 2216
	full posix_memalign, 2224
	full malloc_usable_size, 2232
	full _Znwm, 2240
	full _Znam, 2248
	full _ZnwmSt11align_val_t, 2256
	full _ZnamSt11align_val_t, 2264
	full _ZdlPv, 2272
	full _ZdaPv, 2280
	full _ZdlPvm, 2288
	full _ZdaPvm, 2296
	full _ZdlPvSt11align_val_t, 2304
	full _ZdaPvSt11align_val_t, 2312
	full _ZdlPvmSt11align_val_t, 2320
	full _ZdaPvmSt11align_val_t, 2328
	full quotient_print, 2336
	full quotient_print_into, 2344
	full quotient_print_new, 2352
	full quotient_scan, 2360
	full quotient_number_begin, 2368
	full quotient_number_end, 2376
	full _ZSt21__glibcxx_assert_failPKciS0_S0_, 2384
	full __VERIFIER_assume, 2392
	full __VERIFIER_error, 2400
	library mempcpy, 2408, 2
	library __mempcpy, 2416, 2
	library __mempcpy_chk, 2424, 2
	library explicit_bzero, 2432, 4
	library __explicit_bzero_chk, 2440, 4
	library memchr, 2448, 6
	library memrchr, 2456, 7
	library rawmemchr, 2464, 8
	library memmem, 2472, 9
	library memccpy, 2480, 10
	library bzero, 2488, 11
	library bcopy, 2496, 12
	library bcmp, 2504, 13
	library strcasecmp, 2512, 14
	library strncasecmp, 2520, 15
	library swab, 2528, 16
	library strlen, 2536, 17
	library strnlen, 2544, 18
	library strcpy, 2552, 19
	library __strcpy_chk, 2560, 19
	library stpcpy, 2568, 20
	library __stpcpy, 2576, 20
	library __stpcpy_chk, 2584, 20
	library strncpy, 2592, 21
	library __strncpy_chk, 2600, 21
	library stpncpy, 2608, 22
	library __stpncpy_chk, 2616, 22
	library strcat, 2624, 23
	library __strcat_chk, 2632, 23
	library strncat, 2640, 24
	library __strncat_chk, 2648, 24
	library strcmp, 2656, 25
	library strncmp, 2664, 26
	library strcoll, 2672, 27
	library strverscmp, 2680, 28
	library strchr, 2688, 29
	library index, 2696, 29
	library strrchr, 2704, 30
	library rindex, 2712, 30
	library strchrnul, 2720, 31
	library strstr, 2728, 32
	library strcasestr, 2736, 33
	library strpbrk, 2744, 34
	library strspn, 2752, 35
	library strcspn, 2760, 36
	library strtok, 2768, 37
	library strtok_r, 2776, 38
	library __strtok_r, 2784, 38
	library strsep, 2792, 39
	library strdup, 2800, 40
	library __strdup, 2808, 40
	library strndup, 2816, 41
	library __strndup, 2824, 41
	library strxfrm, 2832, 42
	library strerror, 2840, 43
	library __xpg_strerror_r, 2848, 44
	library strerror_r, 2856, 45
	library wmemcpy, 2864, 46
	library __wmemcpy_chk, 2872, 46
	library wmemmove, 2880, 47
	library __wmemmove_chk, 2888, 47
	library wmempcpy, 2896, 48
	library __wmempcpy_chk, 2904, 48
	library wmemset, 2912, 49
	library __wmemset_chk, 2920, 49
	library wmemcmp, 2928, 50
	library wmemchr, 2936, 51
	library wcslen, 2944, 52
	library wcsnlen, 2952, 53
	library wcscpy, 2960, 54
	library __wcscpy_chk, 2968, 54
	library wcpcpy, 2976, 55
	library __wcpcpy_chk, 2984, 55
	library wcsncpy, 2992, 56
	library __wcsncpy_chk, 3000, 56
	library wcpncpy, 3008, 57
	library __wcpncpy_chk, 3016, 57
	library wcscat, 3024, 58
	library __wcscat_chk, 3032, 58
	library wcsncat, 3040, 59
	library __wcsncat_chk, 3048, 59
	library wcscmp, 3056, 60
	library wcsncmp, 3064, 61
	library wcscasecmp, 3072, 62
	library wcsncasecmp, 3080, 63
	library wcscoll, 3088, 64
	library wcschr, 3096, 65
	library wcsrchr, 3104, 66
	library wcschrnul, 3112, 67
	library wcsstr, 3120, 68
	library wcspbrk, 3128, 69
	library wcsspn, 3136, 70
	library wcscspn, 3144, 71
	library wcstok, 3152, 72
	library wcsdup, 3160, 73
	library wcsxfrm, 3168, 74
	library wcstol, 3176, 75
	library wcstoll, 3184, 75
	library wcstoul, 3192, 76
	library wcstoull, 3200, 76
	library strtol, 3208, 77
	library strtoll, 3216, 77
	library strtoimax, 3224, 77
	library strtoq, 3232, 77
	library __isoc23_strtol, 3240, 77
	library __isoc23_strtoll, 3248, 77
	library __isoc23_strtoimax, 3256, 77
	library strtoul, 3264, 78
	library strtoull, 3272, 78
	library strtoumax, 3280, 78
	library strtouq, 3288, 78
	library __isoc23_strtoul, 3296, 78
	library __isoc23_strtoull, 3304, 78
	library __isoc23_strtoumax, 3312, 78
	library mbstowcs, 3320, 85
	library __mbstowcs_chk, 3328, 85
	library getenv, 3336, 86
	library secure_getenv, 3344, 86
	library setenv, 3352, 87
	library unsetenv, 3360, 88
	library putenv, 3368, 89
	library wcstombs, 3376, 93
	library __wcstombs_chk, 3384, 93
	library puts, 3392, 106
	library fputs, 3400, 107
	library fputs_unlocked, 3408, 107
	library fwrite, 3416, 108
	library fwrite_unlocked, 3424, 108
	library perror, 3432, 109
	library write, 3440, 110
	library writev, 3448, 111
	library gmtime_r, 3456, 112
	library localtime_r, 3464, 113
	library gmtime, 3472, 114
	library localtime, 3480, 115
	library asctime, 3488, 116
	library ctime, 3496, 117
	library asctime_r, 3504, 118
	library ctime_r, 3512, 119
	library mktime, 3520, 120
	library timegm, 3528, 121
	library strftime, 3536, 122
	refused fork
	refused vfork
	refused execv
	refused execve
	refused execvp
	refused execl
	refused execlp
	refused system
	refused popen
	refused socket
	refused connect
	refused bind
	refused listen
	refused accept
	refused accept4
	refused send
	refused sendto
	refused sendmsg
	refused recv
	refused recvfrom
	refused recvmsg
	refused socketpair
	refused open
	refused open64
	refused openat
	refused creat
	refused fopen
	refused fopen64
	refused fdopen
	refused freopen
	refused read
	refused pread
	refused readv
	refused pipe
	refused pipe2
	refused dup
	refused dup2
	refused epoll_create
	refused epoll_create1
	refused epoll_wait
	refused kill
	refused signal
	refused sigaction
	refused mmap
	refused mmap64
	refused munmap
	refused mprotect
	refused mremap
	refused pkey_mprotect
	refused madvise
	refused brk
	refused sbrk
	refused shmat
	refused shm_open
	refused sem_open
	refused wait
	refused waitpid
	refused pthread_cancel
	refused pthread_kill
	refused pthread_atfork
	refused scanf
	refused fscanf
	refused getchar
	refused fgets
	refused fread
	refused getline
	refused getdelim
	refused fgetc
	refused getc
	refused remove
	refused rename
	refused unlink
	refused mkdir
	refused opendir
	refused ioctl
	refused fcntl
	refused ptrace
	refused timer_create
	refused alarm
	refused realpath
	refused canonicalize_file_name
	refused fputws
	refused putwchar
	refused fputwc
	refused putwc
	refused wprintf
	refused fwprintf
	refused vwprintf
	refused vfwprintf
	refused open_memstream
	refused fmemopen
	refused ungetc
	.bss
	.balign 64
	.globl quotient_kept
	.hidden quotient_kept
quotient_kept:
"what strtok keeps":
	.type "what strtok keeps", @object
	.size "what strtok keeps", 64
	.zero 64
"the result of gmtime and localtime":
	.type "the result of gmtime and localtime", @object
	.size "the result of gmtime and localtime", 64
	.zero 64
"the result of asctime and ctime":
	.type "the result of asctime and ctime", @object
	.size "the result of asctime and ctime", 64
	.zero 64
"the result of strerror":
	.type "the result of strerror", @object
	.size "the result of strerror", 128
	.zero 128
"the environment":
	.type "the environment", @object
	.size "the environment", 64
	.zero 64
"the keys for thread-specific data":
	.type "the keys for thread-specific data", @object
	.size "the keys for thread-specific data", 8192
	.zero 8192
