/*
 * What the transport over MPI calls in native code: MPI by JNI, for the class MpiCalls.
 *
 * Standard C of MPI 3.1 only, and no constant of MPI leaves this file: it is compiled by the site's
 * mpicc, or against the standard ABI of MPI 5. One thread of the JVM makes all calls of MPI. Shared memory
 * needs no MPI, and any thread may call it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <jni.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define CALL(type, name) JNIEXPORT type JNICALL Java_io_spillway_transport_mpi_library_MpiCalls_##name

/* As in MpiCalls and Completions. */
enum { ANY = -1 };
enum { INFO_RANK, INFO_SIZE, INFO_THREAD_LEVEL, INFO_MAX_TAG, INFO_LENGTH };
enum { DONE_HANDLE, DONE_PEER, DONE_TAG, DONE_COUNT, DONE_ERROR, DONE_CANCELLED, DONE_INTS };

/* What a request was asked for: of a send, its status says nothing. */
struct asked {
    int peer, tag, length;
    bool is_send;
};

static MPI_Comm world = MPI_COMM_NULL;

/* The table of requests, by handle. Those from `high` on are not in use. */
static MPI_Request *requests;
static struct asked *asked;
static bool *used;
static int *unused;
static int capacity, unused_count, high;

/* What the last MPI_Testsome found: [next, found) is not yet handed out. */
static int *indices;
static MPI_Status *statuses;
static int next, found;
static bool has_errors;

/*
 * Of Open MPI from 5 on, which goes on when a rank has died (ULFM); NULL in others. MPICH has the function
 * as well, but ends requests that it reports as failed.
 */
static int (*acknowledge_failures)(MPI_Comm comm);

static jclass mpi_exception;
static jmethodID new_mpi_exception;

/*
 * Runs before the initialisers of the libraries that this one needs (-z initfirst), as libmpich may
 * need UCX, and UCX before 1.20 takes SIGSEGV and others in its own: the JVM works by them. Open MPI
 * takes signals in MPI_Init; left to it is SIGABRT, which the JVM does not use.
 */
__attribute__((constructor)) static void before_mpi(void) {
    /*
     * The scripts that start ranks set both variables, and setenv changes nothing then. It does so only in a JVM
     * that was started without them: there another thread may read the environment while it grows, which C does not
     * make safe. Nothing but the start of the process is early enough for that.
     */
    setenv("UCX_ERROR_SIGNALS", "", 0);
    setenv("OMPI_MCA_opal_signal", "6", 0);
    /* MPICH's launcher tells ranks by SIGUSR1 that another one has died, which would end them. */
    struct sigaction now;
    if (sigaction(SIGUSR1, NULL, &now) == 0 && now.sa_handler == SIG_DFL) {
        signal(SIGUSR1, SIG_IGN);
    }
}

static bool is_open_mpi(void) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    return MPI_Get_library_version(text, &length) == MPI_SUCCESS && strstr(text, "Open MPI") != NULL;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
    (void)reserved;
    JNIEnv *env;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) != JNI_OK) {
        return JNI_ERR;
    }
    /* The JVM loads libraries privately; components that MPI loads later look for its symbols. */
    Dl_info mpi;
    if (dladdr((void *)(uintptr_t)&MPI_Init_thread, &mpi) != 0 && mpi.dli_fname != NULL) {
        void *const library = dlopen(mpi.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
        /* By its name, since neither MPI nor its ABI has it yet. */
        void *const function = library == NULL || !is_open_mpi() ? NULL : dlsym(library, "MPIX_Comm_failure_ack");
        memcpy(&acknowledge_failures, &function, sizeof function);
    }
    const jclass class = (*env)->FindClass(env, "io/spillway/transport/mpi/library/MpiException");
    if (class == NULL) {
        return JNI_ERR;
    }
    mpi_exception = (*env)->NewGlobalRef(env, class);
    new_mpi_exception = (*env)->GetMethodID(env, class, "<init>", "(Ljava/lang/String;ILjava/lang/String;)V");
    return mpi_exception == NULL || new_mpi_exception == NULL ? JNI_ERR : JNI_VERSION_1_8;
}

/* ---- errors --------------------------------------------------------------------------------- */

static void error_text(int code, char *text) {
    int length = 0;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) {
        strcpy(text, "unknown error");
        return;
    }
    text[length] = '\0';
}

/* Throws an MpiException where a call has failed; whether it has. */
static bool failed(JNIEnv *env, const char *call, int code) {
    if (code == MPI_SUCCESS) {
        return false;
    }
    char text[MPI_MAX_ERROR_STRING + 1];
    error_text(code, text);
    int class = -1;
    MPI_Error_class(code, &class);
    const jstring name = (*env)->NewStringUTF(env, call);
    const jstring message = name == NULL ? NULL : (*env)->NewStringUTF(env, text);
    if (message == NULL) {
        return true;
    }
    const jobject thrown = (*env)->NewObject(env, mpi_exception, new_mpi_exception, name, (jint)class, message);
    if (thrown != NULL) {
        (*env)->Throw(env, thrown);
    }
    return true;
}

static void fail_system(JNIEnv *env, const char *call, int error) {
    char text[256];
    snprintf(text, sizeof text, "%s: %s", call, strerror(error));
    const jclass class = (*env)->FindClass(env, "java/io/IOException");
    if (class != NULL) {
        (*env)->ThrowNew(env, class, text);
    }
}

CALL(void, fail)(JNIEnv *env, jclass self, jint code) {
    (void)self;
    failed(env, "MPI", code);
}

/* ---- the world ------------------------------------------------------------------------------ */

static bool keep_errors(JNIEnv *env, MPI_Comm comm) {
    return failed(env, "MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
}

CALL(void, init)(JNIEnv *env, jclass class, jboolean self, jobject buffer) {
    (void)class;
    int *const info = (*env)->GetDirectBufferAddress(env, buffer);
    int rank, size, level;
    /*
     * This thread makes all calls of MPI and rests for microseconds between them. By default Linux ends a timed
     * rest up to 50 us late; this sets 1 us. Where it fails, the rests are longer and nothing else changes.
     */
    prctl(PR_SET_TIMERSLACK, 1000UL);
    if (failed(env, "MPI_Init_thread", MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level))) {
        return;
    }
    if (keep_errors(env, MPI_COMM_WORLD) || keep_errors(env, MPI_COMM_SELF)
        || failed(env, "MPI_Comm_dup", MPI_Comm_dup(self ? MPI_COMM_SELF : MPI_COMM_WORLD, &world))
        || keep_errors(env, world) || failed(env, "MPI_Comm_rank", MPI_Comm_rank(world, &rank))
        || failed(env, "MPI_Comm_size", MPI_Comm_size(world, &size))) {
        return;
    }
    int *max_tag = NULL;
    int has_tag = 0;
    MPI_Comm_get_attr(world, MPI_TAG_UB, &max_tag, &has_tag);
    info[INFO_RANK] = rank;
    info[INFO_SIZE] = size;
    info[INFO_MAX_TAG] = has_tag ? *max_tag : 32767; /* the least that the standard allows */
    info[INFO_THREAD_LEVEL] = level == MPI_THREAD_MULTIPLE   ? 3
                              : level == MPI_THREAD_SERIALIZED ? 2
                              : level == MPI_THREAD_FUNNELED   ? 1
                                                               : 0;
}

/* Compiled for the standard ABI, the same binary runs with every MPI library that has it. */
#if defined MPI_ABI_VERSION && defined MPI_ABI_SUBVERSION
static const int abi_version = MPI_ABI_VERSION, abi_subversion = MPI_ABI_SUBVERSION;
#else
static const int abi_version = 0, abi_subversion = 0;
#endif

CALL(jstring, libraryVersion)(JNIEnv *env, jclass class) {
    (void)class;
    char text[MPI_MAX_LIBRARY_VERSION_STRING + 64];
    int length = 0;
    if (failed(env, "MPI_Get_library_version", MPI_Get_library_version(text, &length))) {
        return NULL;
    }
    text[length] = '\0';
    text[strcspn(text, "\r\n")] = '\0';
    for (char *tab = strchr(text, '\t'); tab != NULL; tab = strchr(tab, '\t')) {
        *tab = ' ';
    }
    if (abi_version > 0) {
        sprintf(text + strlen(text), ", by the standard ABI %d.%d", abi_version, abi_subversion);
    }
    return (*env)->NewStringUTF(env, text);
}

CALL(jstring, processorName)(JNIEnv *env, jclass class) {
    (void)class;
    char text[MPI_MAX_PROCESSOR_NAME + 1];
    int length = 0;
    if (failed(env, "MPI_Get_processor_name", MPI_Get_processor_name(text, &length))) {
        return NULL;
    }
    text[length] = '\0';
    return (*env)->NewStringUTF(env, text);
}

CALL(void, finish)(JNIEnv *env, jclass class) {
    (void)class;
    if (world != MPI_COMM_NULL) {
        MPI_Comm_free(&world);
    }
    failed(env, "MPI_Finalize", MPI_Finalize());
}

CALL(void, abort)(JNIEnv *env, jclass class, jint code) {
    (void)class;
    failed(env, "MPI_Abort", MPI_Abort(MPI_COMM_WORLD, code));
}

CALL(void, broadcast)(JNIEnv *env, jclass class, jobject buffer, jint length, jint root) {
    (void)class;
    void *const bytes = (*env)->GetDirectBufferAddress(env, buffer);
    failed(env, "MPI_Bcast", MPI_Bcast(bytes, length, MPI_BYTE, root, world));
}

CALL(void, barrier)(JNIEnv *env, jclass class) {
    (void)class;
    failed(env, "MPI_Barrier", MPI_Barrier(world));
}

/* ---- requests ------------------------------------------------------------------------------- */

/* What realloc gave stays in use where a later one fails. */
static bool resize(void *pointer, size_t bytes) {
    void **const array = pointer;
    void *const larger = realloc(*array, bytes);
    if (larger != NULL) {
        *array = larger;
    }
    return larger != NULL;
}

static bool grow(JNIEnv *env) {
    const int wanted = capacity == 0 ? 64 : 2 * capacity;
    const size_t count = (size_t)wanted;
    if (!resize(&requests, count * sizeof *requests) || !resize(&asked, count * sizeof *asked)
        || !resize(&used, count * sizeof *used) || !resize(&unused, count * sizeof *unused)
        || !resize(&indices, count * sizeof *indices) || !resize(&statuses, count * sizeof *statuses)) {
        fail_system(env, "the table of requests", ENOMEM);
        return false;
    }
    for (int handle = wanted - 1; handle >= capacity; handle--) {
        requests[handle] = MPI_REQUEST_NULL;
        used[handle] = false;
        unused[unused_count++] = handle;
    }
    capacity = wanted;
    return true;
}

/* A request that has been started gets its place in the table. */
static jint keep(struct asked what) {
    const int handle = unused[--unused_count];
    asked[handle] = what;
    used[handle] = true;
    if (handle >= high) {
        high = handle + 1;
    }
    return handle;
}

static void release(int handle) {
    used[handle] = false;
    unused[unused_count++] = handle;
    while (high > 0 && !used[high - 1]) {
        high--;
    }
}

CALL(jint, send)(JNIEnv *env, jclass class, jobject buffer, jint offset, jint length, jint rank, jint tag) {
    (void)class;
    if (unused_count == 0 && !grow(env)) {
        return -1;
    }
    const char *const bytes = (*env)->GetDirectBufferAddress(env, buffer);
    MPI_Request *const request = &requests[unused[unused_count - 1]];
    if (failed(env, "MPI_Isend", MPI_Isend(bytes + offset, length, MPI_BYTE, rank, tag, world, request))) {
        *request = MPI_REQUEST_NULL;
        return -1;
    }
    return keep((struct asked){rank, tag, length, true});
}

/* Ends when the message has found its receive. */
CALL(jint, sendMatched)(JNIEnv *env, jclass class, jobject buffer, jint offset, jint length, jint rank, jint tag) {
    (void)class;
    if (unused_count == 0 && !grow(env)) {
        return -1;
    }
    const char *const bytes = (*env)->GetDirectBufferAddress(env, buffer);
    MPI_Request *const request = &requests[unused[unused_count - 1]];
    if (failed(env, "MPI_Issend", MPI_Issend(bytes + offset, length, MPI_BYTE, rank, tag, world, request))) {
        *request = MPI_REQUEST_NULL;
        return -1;
    }
    return keep((struct asked){rank, tag, length, true});
}

CALL(jint, receive)(JNIEnv *env, jclass class, jobject buffer, jint offset, jint length, jint rank, jint tag) {
    (void)class;
    if (unused_count == 0 && !grow(env)) {
        return -1;
    }
    char *const bytes = (*env)->GetDirectBufferAddress(env, buffer);
    MPI_Request *const request = &requests[unused[unused_count - 1]];
    const int source = rank == ANY ? MPI_ANY_SOURCE : rank;
    const int wanted = tag == ANY ? MPI_ANY_TAG : tag;
    if (failed(env, "MPI_Irecv", MPI_Irecv(bytes + offset, length, MPI_BYTE, source, wanted, world, request))) {
        *request = MPI_REQUEST_NULL;
        return -1;
    }
    return keep((struct asked){rank, tag, length, false});
}

CALL(void, cancel)(JNIEnv *env, jclass class, jint handle) {
    (void)class;
    if (handle >= 0 && handle < high && used[handle] && requests[handle] != MPI_REQUEST_NULL) {
        failed(env, "MPI_Cancel", MPI_Cancel(&requests[handle]));
    }
}

/* What has become of a request, for Java. */
static void describe(int handle, MPI_Status *status, jint *done) {
    const struct asked what = asked[handle];
    int cancelled = 0, count = 0;
    const int error = has_errors ? status->MPI_ERROR : MPI_SUCCESS;
    if (error == MPI_SUCCESS) {
        MPI_Test_cancelled(status, &cancelled);
    }
    const bool is_received = !what.is_send && !cancelled && error == MPI_SUCCESS;
    if (is_received && (MPI_Get_count(status, MPI_BYTE, &count) != MPI_SUCCESS || count == MPI_UNDEFINED)) {
        count = 0;
    }
    done[DONE_HANDLE] = handle;
    done[DONE_PEER] = is_received ? status->MPI_SOURCE : what.peer;
    done[DONE_TAG] = is_received ? status->MPI_TAG : what.tag;
    done[DONE_COUNT] = is_received ? count : what.is_send ? what.length : 0;
    done[DONE_ERROR] = error == MPI_SUCCESS ? 0 : error;
    done[DONE_CANCELLED] = cancelled;
}

static bool is_found(int handle) {
    for (int i = 0; i < found; i++) {
        if (indices[i] == handle) {
            return true;
        }
    }
    return false;
}

/* When a rank has died, Open MPI 5 frees the requests that name it, and reports only some of them. */
static void find_the_freed(void) {
    for (int handle = 0; handle < high; handle++) {
        if (used[handle] && requests[handle] == MPI_REQUEST_NULL && !is_found(handle)) {
            indices[found] = handle;
            statuses[found].MPI_ERROR = MPI_ERR_OTHER;
            found++;
        }
    }
}

/*
 * A receive from any rank, when one of them has died: ULFM reports it as failed, but it stays under
 * way, and goes on once the failure is acknowledged.
 */
static bool goes_on(int handle) {
    return has_errors && acknowledge_failures != NULL && requests[handle] != MPI_REQUEST_NULL;
}

static void acknowledge_what_goes_on(void) {
    for (int i = 0; i < found; i++) {
        if (goes_on(indices[i])) {
            acknowledge_failures(world);
            return;
        }
    }
}

/*
 * Open MPI's MPI_Testsome brings messages in only after it has looked at the requests, so alone it finds what was
 * there at the look before, and between the two the thread may have rested. Asking for one request brings them in
 * first. The highest handle is of a request under way; what is found out about it does not matter here.
 */
static int test_some(int *const count) {
    if (high > 0) {
        int is_ended;
        MPI_Request_get_status(requests[high - 1], &is_ended, MPI_STATUS_IGNORE);
    }
    return MPI_Testsome(high, requests, count, indices, statuses);
}

CALL(jint, poll)(JNIEnv *env, jclass class, jobject buffer, jint most) {
    (void)class;
    if (next == found) {
        int count = 0;
        const int code = test_some(&count);
        has_errors = code == MPI_ERR_IN_STATUS;
        if (!has_errors && failed(env, "MPI_Testsome", code)) {
            return 0;
        }
        next = 0;
        found = count == MPI_UNDEFINED ? 0 : count;
        if (has_errors && acknowledge_failures != NULL) {
            find_the_freed();
            acknowledge_what_goes_on();
        }
    }
    jint *const done = (*env)->GetDirectBufferAddress(env, buffer);
    jint given = 0;
    while (next < found && given < most) {
        const int handle = indices[next];
        if (goes_on(handle)) {
            next++;
            continue;
        }
        describe(handle, &statuses[next], done + given * DONE_INTS);
        release(handle);
        next++;
        given++;
    }
    return given;
}

/* ---- shared memory -------------------------------------------------------------------------- */

CALL(jobject, shareMemory)(JNIEnv *env, jclass class, jstring name, jint bytes, jobject descriptor) {
    (void)class;
    const char *const text = (*env)->GetStringUTFChars(env, name, NULL);
    if (text == NULL) {
        return NULL;
    }
    const int file = memfd_create(text, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    const int error = errno;
    (*env)->ReleaseStringUTFChars(env, name, text);
    if (file < 0) {
        fail_system(env, "memfd_create", error);
        return NULL;
    }
    const char *call = "ftruncate";
    void *memory = MAP_FAILED;
    if (ftruncate(file, bytes) == 0) {
        call = "fcntl(F_ADD_SEALS)";
        if (fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
            call = "mmap";
            memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        }
    }
    if (memory == MAP_FAILED) {
        fail_system(env, call, errno);
        close(file);
        return NULL;
    }
    *(jint *)(*env)->GetDirectBufferAddress(env, descriptor) = file;
    return (*env)->NewDirectByteBuffer(env, memory, bytes);
}

CALL(void, unshareMemory)(JNIEnv *env, jclass class, jobject buffer, jint bytes, jint file) {
    (void)class;
    munmap((*env)->GetDirectBufferAddress(env, buffer), (size_t)bytes);
    close(file);
}
