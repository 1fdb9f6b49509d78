/*
 * What the MPI library itself carries between two ranks, for docs/results/net-others, as the OSU
 * micro-benchmarks measure it; and SEMem's way, one blocking request a segment.
 *
 *   mpirun -n 2 mpi_bench latency BYTES WINDOW DATA SECONDS    a ping-pong of BYTES
 *   mpirun -n 2 mpi_bench bandwidth BYTES WINDOW DATA SECONDS  WINDOW messages in flight all the time
 *   mpirun -n 2 mpi_bench request BYTES WINDOW DATA SECONDS    a request, then BYTES as one message
 *
 * Rank 1 sends the pieces of DATA bytes one after the other, rank 0 receives them into WINDOW places;
 * DATA equal to BYTES has one source and one place. Rank 0 prints one line: messages, seconds, the
 * median of a message in microseconds (0 for bandwidth), and the CPU seconds of ranks 0 and 1.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { TAG = 1, REQUEST_BYTES = 16, MOST_TIMES = 1 << 20, LEAST_MESSAGES = 16, MOST_WINDOW = 1024 };

static int rank, bytes, window;
static long data;
static char *memory, *source;
static double *times;
static long timed;

static char *place(long i) { return memory + (data == bytes ? 0 : i % window * bytes); }
static char *piece(long i) { return source + i % (data / bytes) * bytes; }

static void took(double seconds) { times[timed++ % MOST_TIMES] = seconds; }

static void latency(long count) {
    for (long i = 0; i < count; i++) {
        const double start = MPI_Wtime();
        if (rank == 0) MPI_Send(memory, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
        MPI_Recv(place(i), bytes, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(piece(i), bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
        took((MPI_Wtime() - start) / 2);
    }
}

static void request(long count) {
    char asked[REQUEST_BYTES] = {0};
    for (long i = 0; i < count; i++) {
        const double start = MPI_Wtime();
        if (rank == 0) {
            MPI_Send(asked, REQUEST_BYTES, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
            MPI_Recv(place(i), bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(asked, REQUEST_BYTES, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(piece(i), bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
        }
        took(MPI_Wtime() - start);
    }
}

static void bandwidth(long count) {
    MPI_Request requests[MOST_WINDOW];
    for (int i = 0; i < window; i++) requests[i] = MPI_REQUEST_NULL;
    for (long i = 0; i < count; i++) {
        MPI_Request *next = &requests[i % window];
        MPI_Wait(next, MPI_STATUS_IGNORE);
        if (rank == 0) MPI_Irecv(place(i), bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, next);
        else MPI_Isend(piece(i), bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, next);
    }
    for (int i = 0; i < window; i++) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static double cpu(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

/* Runs as many messages as all ranks agree on, and gives the seconds of rank 0 to all. */
static double run(void (*mode)(long), long count) {
    MPI_Barrier(MPI_COMM_WORLD);
    timed = 0;
    const double start = MPI_Wtime();
    mode(count);
    double seconds = MPI_Wtime() - start;
    MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return seconds;
}

static int by_time(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median_micros(void) {
    const long known = timed < MOST_TIMES ? timed : MOST_TIMES;
    qsort(times, known, sizeof *times, by_time);
    return known == 0 ? 0 : times[known / 2] * 1e6;
}

int main(int argc, char **argv) {
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const double wanted = argc == 6 ? atof(argv[5]) : 0;
    bytes = argc == 6 ? atoi(argv[2]) : 0;
    window = argc == 6 ? atoi(argv[3]) : 0;
    data = argc == 6 ? atol(argv[4]) : 0;
    if (ranks != 2 || bytes < 1 || window < 1 || window > MOST_WINDOW || data < bytes || wanted <= 0) {
        fprintf(stderr, "usage: mpirun -n 2 %s latency|bandwidth|request BYTES WINDOW DATA SECONDS\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    void (*mode)(long) = strcmp(argv[1], "latency") == 0 ? latency : strcmp(argv[1], "request") == 0 ? request : bandwidth;
    const size_t places = (size_t)window * bytes;
    memory = malloc(places);
    source = malloc(data);
    times = malloc(MOST_TIMES * sizeof *times);
    if (memory == NULL || source == NULL || times == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
    memset(memory, 1, places);
    memset(source, 2, data);
    /* Twice as many until a tenth of the time is spent: that warms up, and tells how many there are to be. */
    long count = LEAST_MESSAGES;
    double seconds = run(mode, count);
    while (seconds < wanted / 10) seconds = run(mode, count *= 2);
    count = count * (wanted / seconds) + 1;
    double before = cpu(), used[2];
    seconds = run(mode, count);
    before = cpu() - before;
    MPI_Gather(&before, 1, MPI_DOUBLE, used, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("mpi_bench %ld %.9f %.3f %.6f %.6f\n", count, seconds, median_micros(), used[0], used[1]);
    MPI_Finalize();
    return 0;
}
