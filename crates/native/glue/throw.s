# Notes where an exception is thrown, and that functions are left: linked into C++ programs.
	.text
	.globl __wrap___cxa_throw
	.hidden __wrap___cxa_throw
	.type __wrap___cxa_throw, @function
__wrap___cxa_throw:
	movq (%rsp), %r11
	movq %r11, quotient_shared+48(%rip)
	pushq %rdi
	pushq %rsi
	pushq %rdx
	call quotient_forget_zones
	popq %rdx
	popq %rsi
	popq %rdi
	jmp __real___cxa_throw
	.size __wrap___cxa_throw, .-__wrap___cxa_throw
	.section .note.GNU-stack,"",@progbits
