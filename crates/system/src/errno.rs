//! The numbers of errors. Follows Linux.

macro_rules! errors {
    ($($name:ident = $number:literal),* $(,)?) => {
        $(#[doc = concat!("`", stringify!($name), "`.")] pub const $name: i32 = $number;)*

        /// The name of an error, such as `ENOENT`.
        #[must_use]
        pub fn error_name(number: i32) -> Option<&'static str> {
            match number {
                $($number => Some(stringify!($name)),)*
                _ => None,
            }
        }
    };
}

errors! {
    EPERM = 1, ENOENT = 2, ESRCH = 3, EINTR = 4, E2BIG = 7, EBADF = 9, ECHILD = 10, EAGAIN = 11, ENOMEM = 12, EACCES = 13,
    EEXIST = 17, ENOTDIR = 20, EISDIR = 21, EINVAL = 22, EFBIG = 27, ENOSPC = 28, ESPIPE = 29, EROFS = 30, EMLINK = 31, EPIPE = 32,
    ERANGE = 34, EDEADLK = 35, ENAMETOOLONG = 36, ENOSYS = 38, ENOTEMPTY = 39, ELOOP = 40, ENOMSG = 42, EIDRM = 43,
    ENOTSOCK = 88, EDESTADDRREQ = 89, EMSGSIZE = 90, EPROTOTYPE = 91, EOPNOTSUPP = 95, EAFNOSUPPORT = 97, EADDRINUSE = 98,
    ECONNRESET = 104, EISCONN = 106, ENOTCONN = 107, ETIMEDOUT = 110, ECONNREFUSED = 111, EALREADY = 114, EINPROGRESS = 115,
}
