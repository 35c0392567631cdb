# Notes where an exception is thrown: linked into C++ programs.
	.text
	.globl __wrap___cxa_throw
	.hidden __wrap___cxa_throw
	.type __wrap___cxa_throw, @function
__wrap___cxa_throw:
	movq (%rsp), %r11
	movq %r11, quotient_shared+48(%rip)
	jmp __real___cxa_throw
	.size __wrap___cxa_throw, .-__wrap___cxa_throw
	.section .note.GNU-stack,"",@progbits
