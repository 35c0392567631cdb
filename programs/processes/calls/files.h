/* Files, directories and locks on them. */
static char path_buffer[2][200];
static const char *path(int which) {
    static const char *names[] = {"a", "b", "d", "d/a", "d/b", "d/e", "a/x", "l", "l/a", "none/x", "d/./a", "d/e/f", "l/../b", "none/../a", "d/e/../a"};
    sprintf(path_buffer[which], "%s/%s", directory, names[any(15)]);
    return path_buffer[which];
}
static void tell_stat(const char *what, int value, struct stat *s) {
    if (tell(what, value) >= 0)
        printf("%o %ld %ld\n", s->st_mode, (long)s->st_nlink, S_ISDIR(s->st_mode) ? 0 : (long)s->st_size);
}
static int compare(const void *a, const void *b) { return strcmp(*(char **)a, *(char **)b); }
static void list(const char *which) {
    DIR *d = opendir(which);
    if (!d) {
        tell("list", -1);
        return;
    }
    char *names[50];
    int n = 0;
    struct dirent *e;
    while ((e = readdir(d)) && n < 50) {
        names[n] = malloc(strlen(e->d_name) + 10);
        sprintf(names[n++], "%s:%d", e->d_name, e->d_type);
    }
    closedir(d);
    qsort(names, n, sizeof *names, compare);
    for (int i = 0; i < n; i++) {
        printf("%s ", names[i]);
        free(names[i]);
    }
    puts("");
}
static void files(void) {
    struct stat s;
    static const int modes[] = {O_RDONLY, O_WRONLY, O_RDWR, O_RDWR | O_APPEND};
    static const int extras[] = {0, O_CREAT, O_CREAT, O_CREAT | O_EXCL, O_TRUNC, O_CREAT | O_TRUNC, O_DIRECTORY, O_NOFOLLOW};
    switch (any(26)) {
    case 0: case 1: case 2: case 3: remember(tell("open", open(path(0), modes[any(4)] | extras[any(8)], 0640))); break;
    case 4: drop(); break;
    case 5: case 6: tell("mkdir", mkdir(path(0), 0750)); break;
    case 7: tell("rmdir", rmdir(path(0))); break;
    case 8: tell("unlink", unlink(path(0))); break;
    case 9: case 10: tell("rename", rename(path(0), path(1))); break;
    case 11: tell("link", link(path(0), path(1))); break;
    case 12: {
        static const char *texts[] = {"a", "d", "d/a", "none", "d/e", "l"};
        tell("symlink", symlink(texts[any(2) ? 1 : any(6)], path(0)));
        break;
    }
    case 13: tell_bytes("readlink", readlink(path(0), buffer, any(4) ? 100 : 1), buffer); break;
    case 14: { int r = stat(path(0), &s); tell_stat("stat", r, &s); break; }
    case 15: { int r = lstat(path(0), &s); tell_stat("lstat", r, &s); break; }
    case 16: { int r = fstat(some(), &s); tell_stat("fstat", r, &s); break; }
    case 17: {
        /* Positions in directories mean nothing. */
        int fd = some(), from = any(3);
        long by = (long)any(30) - 5;
        if (fstat(fd, &s) < 0 || !S_ISDIR(s.st_mode))
            tell("seek", lseek(fd, by, from));
        break;
    }
    case 18: tell("truncate", any(2) ? truncate(path(0), any(30)) : ftruncate(some(), any(30))); break;
    case 19: list(path(0)); break;
    case 20: tell("chmod", chmod(path(0), any(2) ? 0600 : 0755)); break;
    case 21: fill(any(20)); tell("pwrite", pwrite(some(), buffer, any(20), any(30))); break;
    case 22: tell_bytes("pread", pread(some(), buffer, any(20), any(30)), buffer); break;
    case 23: write_some(some()); break;
    case 24: tell("access", access(path(0), F_OK)); break;
    default: read_some(some());
    }
}
/* Begins with a few files, so that most calls find something. */
static void some_files(void) {
    char name[300];
    sprintf(name, "%s/d", directory);
    mkdir(name, 0755);
    sprintf(name, "%s/l", directory);
    symlink("d", name);
    sprintf(name, "%s/a", directory);
    remember(open(name, O_RDWR | O_CREAT, 0644));
    sprintf(name, "%s/d/a", directory);
    remember(open(name, O_RDWR | O_CREAT, 0644));
}

static void remove_all(const char *where) {
    DIR *d = opendir(where);
    struct dirent *e;
    while (d && (e = readdir(d))) {
        char name[600];
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        snprintf(name, sizeof name, "%s/%s", where, e->d_name);
        if (e->d_type == DT_DIR) {
            remove_all(name);
            rmdir(name);
        } else
            unlink(name);
    }
    if (d)
        closedir(d);
}

static void locks(void) {
    char name[300];
    sprintf(name, "%s/%s", directory, any(2) ? "a" : "b");
    switch (any(8)) {
    case 0: case 1: remember(tell("open", open(name, O_RDWR | O_CREAT, 0600))); break;
    case 2: drop(); break;
    case 3: { int fd = some(); if (fd != 900) remember(tell("dup", dup(fd))); break; }
    default: {
        static const int how[] = {LOCK_SH, LOCK_EX, LOCK_UN};
        tell("flock", flock(some(), how[any(3)] | LOCK_NB));
    }
    }
}

static void ranges(void) {
    char name[300];
    sprintf(name, "%s/%s", directory, any(2) ? "a" : "b");
    switch (any(9)) {
    case 0: case 1: remember(tell("open", open(name, any(4) ? O_RDWR | O_CREAT : O_RDONLY, 0600))); break;
    case 2: drop(); break;
    case 3: fill(9); tell("write", write(some(), buffer, any(9))); break;
    default: {
        static const int kinds[] = {F_RDLCK, F_WRLCK, F_UNLCK};
        struct flock l = {.l_type = kinds[any(3)], .l_whence = any(4) ? SEEK_SET : any(2) ? SEEK_CUR : SEEK_END, .l_start = (long)any(20) - (any(8) == 0) * 5, .l_len = (long)any(10) - (any(8) == 0) * 5};
        int ask = !any(3), open_file = any(4) != 0;
        if (ask && l.l_type == F_UNLCK)
            l.l_type = F_WRLCK;
        int command = ask ? (open_file ? F_OFD_GETLK : F_GETLK) : (open_file ? F_OFD_SETLK : F_SETLK);
        int r = tell(ask ? "getlk" : "setlk", fcntl(some(), command, &l));
        /* Which of several locks is told is nobody's promise. */
        if (ask && r >= 0)
            puts(l.l_type == F_UNLCK ? "free" : "taken");
    }
    }
}
