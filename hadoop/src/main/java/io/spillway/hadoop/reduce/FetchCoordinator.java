package io.spillway.hadoop.reduce;

import io.spillway.report.ShuffleFigure;
import io.spillway.report.TaskReport;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchListener;
import io.spillway.transport.FetchReply;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.SecretKey;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what is fetched when. All state belongs to one thread, which runs messages one by one;
 * public methods, callbacks and timers only send it messages.
 *
 * <p><em>Copy phase</em>: each segment is fetched whole while the pool keeps two chunks for every
 * map that is not whole, else only its head. A map is copied when its whole segment is verified, or
 * its head is here. Until then its attempt can be dropped for another one.
 *
 * <p><em>Merge phase</em>: begins when every map is copied. Segments of which only the head is here
 * are streams: as the task thread gives chunks back, the next pieces are asked for, of the same
 * attempt.
 */
final class FetchCoordinator implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FetchCoordinator.class);

    private static final long STREAM_RETRY_MIN_MILLIS = 100;
    private static final long STREAM_RETRY_MAX_MILLIS = 3000;
    private static final long REPORT_AGAIN_MILLIS = 10_000;
    private static final long POSTPONE_MILLIS = 1000;
    private static final long FIRST_PENALTY_MILLIS = 13_000;

    /** Hungry streams looked at for each chunk that comes back: it can serve but one or two. */
    private static final int LOOKED_AT = 4;

    private static final long JOIN_MILLIS = 5000;

    private final ShuffleSettings settings;
    private final ShuffleConsumerPlugin.Context<?, ?> context;
    private final Transport transport;
    private final JobCredentials credentials;
    private final SecretKey secret;
    private final TaskReport report;

    private final ScheduledThreadPoolExecutor loop;
    private final ExecutorService openers;
    private final ExecutorService httpThreads;
    private final CompletableFuture<List<SegmentFetch>> copyDone = new CompletableFuture<>();
    private volatile IOException failure;
    private volatile boolean closed;
    private volatile long lastMapNanos;

    // ---- owned by the loop's thread ----
    private final ChunkPool pool;
    private final MapSlot[] maps;
    private final Map<NodeAddress, Node> nodes = new HashMap<>();
    private final Deque<SegmentFetch> hungry = new ArrayDeque<>();
    private final Set<HttpFetch> httpFetches = new HashSet<>();
    private final FetchFailures failures;
    private final CopyStatus status;
    private boolean merging;
    private int uncopied;
    private int unannounced;
    private long fetchedBytes;
    private long overlappedBytes;
    private long retries;

    FetchCoordinator(
            final ShuffleSettings settings,
            final ShuffleConsumerPlugin.Context<?, ?> context,
            final Transport transport,
            final TaskReport report) {
        this.settings = settings;
        this.context = context;
        this.transport = transport;
        this.secret = context.getReduceTask().getShuffleSecret();
        this.credentials = settings.credentials(secret);
        this.report = report;
        this.pool = new ChunkPool(settings.chunkSize, settings.chunks);
        this.maps = new MapSlot[settings.numMaps];
        Arrays.setAll(maps, index -> new MapSlot(pool.claim()));
        this.uncopied = settings.numMaps;
        this.unannounced = settings.numMaps;
        this.failures =
                new FetchFailures(
                        settings, context.getFailedShuffleCounter(), this::report, nowMillis());
        this.status = new CopyStatus(context.getStatus(), context.getCopyPhase(), settings.numMaps);
        this.loop = new ScheduledThreadPoolExecutor(1, threads("spillway-shuffle"));
        loop.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        loop.setRemoveOnCancelPolicy(true);
        this.openers = pool("spillway-open");
        this.httpThreads = pool("spillway-http");
    }

    private ExecutorService pool(final String name) {
        final ThreadPoolExecutor executor =
                (ThreadPoolExecutor)
                        Executors.newFixedThreadPool(settings.parallelCopies, threads(name));
        executor.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        return executor;
    }

    private static ThreadFactory threads(final String name) {
        final AtomicInteger number = new AtomicInteger();
        return task -> {
            final Thread thread = new Thread(task, name + "-" + number.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        };
    }

    private static long nowMillis() {
        return System.nanoTime() / 1_000_000;
    }

    // ---- from other threads --------------------------------------------------------------------

    /** Starts; with no maps the copy phase ends at once. */
    void start() {
        execute(this::finishCopyIfDone);
    }

    /** Takes completion events, in their order. */
    void onEvents(final TaskCompletionEvent[] events) {
        execute(() -> resolve(events));
    }

    /** The task thread has consumed a chunk of a segment. */
    void consumed(final SegmentFetch fetch, final Chunk chunk) {
        execute(
                () -> {
                    pool.giveBack(fetch.map.claim, chunk);
                    chunkReturned(fetch);
                });
    }

    /** Ends the shuffle with a failure; the first one stays. */
    void fail(final Throwable cause) {
        final IOException wrapped =
                new IOException(
                        "error in shuffle in " + Thread.currentThread().getName() + ": " + cause,
                        cause);
        synchronized (copyDone) {
            if (failure != null || closed) {
                return;
            }
            failure = wrapped;
        }
        copyDone.completeExceptionally(wrapped);
        loop.execute(() -> failQueues(wrapped));
    }

    private void failQueues(final IOException cause) {
        for (final MapSlot map : maps) {
            if (map.current != null) {
                map.current.queue.fail(cause);
            }
        }
    }

    /**
     * Waits for the end of the copy phase.
     *
     * @return the fetches of all maps that have output, in the order of the maps; null when the
     *     time has passed
     * @throws IOException when the shuffle failed
     */
    List<SegmentFetch> awaitCopied(final long millis) throws IOException, InterruptedException {
        try {
            return copyDone.get(millis, TimeUnit.MILLISECONDS);
        } catch (final TimeoutException e) {
            return null;
        } catch (final ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        }
    }

    /** The most memory that chunks took. */
    long peakBytes() {
        return pool.peakBytes();
    }

    /** When the last map's completion event came, by {@link System#nanoTime}. */
    long lastMapNanos() {
        return lastMapNanos;
    }

    private void execute(final Runnable message) {
        loop.execute(() -> guard(message));
    }

    private void schedule(final long delayMillis, final Runnable message) {
        // A message's failure ends the shuffle in guard(): its future tells nothing more.
        final var unused = loop.schedule(() -> guard(message), delayMillis, TimeUnit.MILLISECONDS);
    }

    private void guard(final Runnable message) {
        if (closed || failure != null) {
            return;
        }
        try {
            message.run();
        } catch (final RuntimeException | Error e) {
            LOG.error("Shuffle coordinator failed", e);
            fail(e);
        }
    }

    // ---- completion events ---------------------------------------------------------------------

    private void resolve(final TaskCompletionEvent[] events) {
        final List<MapSlot> announced = new ArrayList<>();
        for (final TaskCompletionEvent event : events) {
            final MapSlot map = slotOf(event);
            if (map != null) {
                resolve(event, map, announced);
            }
        }
        // Another order in each reducer, so that they do not all ask the same node first.
        Collections.shuffle(announced);
        announced.forEach(this::startNext);
        finishCopyIfDone();
    }

    private MapSlot slotOf(final TaskCompletionEvent event) {
        final TaskAttemptID attempt = event.getTaskAttemptId();
        final int index = attempt.getTaskID().getId();
        if (attempt.getTaskType() != TaskType.MAP || index < 0 || index >= maps.length) {
            count(ShuffleError.BAD_ID);
            LOG.warn("Ignoring completion event of {}: there are {} maps", attempt, maps.length);
            return null;
        }
        return maps[index];
    }

    private void resolve(
            final TaskCompletionEvent event, final MapSlot map, final List<MapSlot> announced) {
        final TaskAttemptID attempt = event.getTaskAttemptId();
        switch (event.getTaskStatus()) {
            case SUCCEEDED -> {
                failures.mapRan(event.getTaskRunTime());
                addCandidate(map, attempt, event.getTaskTrackerHttp());
                announced.add(map);
            }
            case FAILED, KILLED, OBSOLETE -> {
                LOG.info(
                        "Ignoring obsolete output of {} map-task: '{}'",
                        event.getTaskStatus(),
                        attempt);
                obsolete(map, attempt);
            }
            case TIPFAILED -> {
                LOG.info("Ignoring output of failed map TIP: '{}'", attempt);
                abandon(map);
            }
        }
    }

    private void addCandidate(final MapSlot map, final TaskAttemptID attempt, final String url) {
        if (merging || map.abandoned || map.isComplete()) {
            return;
        }
        if (map.candidates.stream().anyMatch(known -> known.attempt.equals(attempt))) {
            return;
        }
        final boolean wasAnnounced = map.isAnnounced();
        map.candidates.addLast(new MapSlot.Candidate(attempt, node(attempt, url)));
        if (!wasAnnounced) {
            mapAnnounced();
        }
    }

    private void mapAnnounced() {
        if (--unannounced == 0) {
            lastMapNanos = System.nanoTime();
            overlappedBytes = fetchedBytes;
        }
    }

    private Node node(final TaskAttemptID attempt, final String url) {
        final URI uri = URI.create(url);
        if (uri.getHost() == null || uri.getPort() < 0) {
            throw new IllegalArgumentException(
                    "taskTrackerHttp=" + url + " of " + attempt + ", expected http://host:port");
        }
        final String base = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
        return nodes.computeIfAbsent(
                new NodeAddress(uri.getHost(), uri.getPort()), address -> new Node(address, base));
    }

    private void obsolete(final MapSlot map, final TaskAttemptID attempt) {
        failures.forget(attempt);
        final boolean wasAnnounced = map.isAnnounced();
        map.candidates.removeIf(candidate -> candidate.attempt.equals(attempt));
        final boolean isCurrent = map.current != null && map.current.attempt.equals(attempt);
        if (merging || map.isComplete()) {
            if (isCurrent) {
                map.current.obsolete = true;
            }
            return;
        }
        if (isCurrent) {
            drop(map);
            startNext(map);
        }
        if (wasAnnounced && !map.isAnnounced()) {
            unannounced++;
        }
    }

    private void abandon(final MapSlot map) {
        if (merging || map.abandoned || map.isComplete()) {
            return;
        }
        final boolean wasAnnounced = map.isAnnounced();
        if (map.current != null) {
            drop(map);
        }
        map.candidates.clear();
        map.abandoned = true;
        pool.demand(map.claim, 0);
        pool.settle(map.claim);
        if (!wasAnnounced) {
            mapAnnounced();
        }
        uncopied--;
        showStatus();
    }

    /** Lets a fetch go whose records nobody has seen. */
    private void drop(final MapSlot map) {
        final SegmentFetch fetch = map.current;
        fetch.dropped = true;
        map.current = null;
        for (final Chunk chunk : fetch.drain()) {
            pool.giveBack(map.claim, chunk);
        }
        pool.restart(map.claim);
        if (map.copied) {
            map.copied = false;
            uncopied++;
            showStatus();
        }
    }

    /** Starts fetching a map from a source that does not rest. */
    private void startNext(final MapSlot map) {
        if (map.current != null || map.abandoned || map.candidates.isEmpty()) {
            return;
        }
        final long now = nowMillis();
        long wait = Long.MAX_VALUE;
        for (final MapSlot.Candidate candidate : map.candidates) {
            if (candidate.notBeforeMillis <= now) {
                map.current =
                        new SegmentFetch(
                                map,
                                candidate.attempt,
                                settings.partition,
                                candidate.node,
                                settings.chunkSize);
                enqueue(map.current);
                return;
            }
            wait = Math.min(wait, candidate.notBeforeMillis - now);
        }
        schedule(wait, () -> startNext(map));
    }

    // ---- requests ------------------------------------------------------------------------------

    /** Queues a fetch at its node, if it wants more and there is memory; else it goes hungry. */
    private void enqueue(final SegmentFetch fetch) {
        if (fetch.queued || !fetch.wantsMore()) {
            return;
        }
        if (fetch.node.httpOnly || pool.canTake(fetch.map.claim)) {
            fetch.queued = true;
            if (isUrgent(fetch)) {
                fetch.node.waiting.addFirst(fetch);
            } else {
                fetch.node.waiting.addLast(fetch);
            }
            pump(fetch.node);
        } else if (!fetch.hungry) {
            fetch.hungry = true;
            hungry.addLast(fetch);
        }
    }

    /** While copying, finish what was begun; while merging, serve first who has nothing left. */
    private boolean isUrgent(final SegmentFetch fetch) {
        return merging ? fetch.queue.isEmpty() : fetch.lengthsKnown();
    }

    private void pump(final Node node) {
        if (node.state == Node.State.OPEN) {
            issue(node);
        } else if (node.state == Node.State.IDLE && !node.waiting.isEmpty()) {
            if (node.httpOnly && !merging) {
                fetchOverHttp(node);
            } else {
                open(node);
            }
        }
    }

    private void issue(final Node node) {
        while (node.inFlight < settings.requestsInFlight && node.state == Node.State.OPEN) {
            final SegmentFetch fetch = node.waiting.pollFirst();
            if (fetch == null) {
                return;
            }
            fetch.queued = false;
            if (fetch.wantsMore() && pool.canTake(fetch.map.claim)) {
                request(node, fetch);
            }
            enqueueAgain(fetch);
        }
    }

    /** As {@link #enqueue}, without pumping the node, which is being pumped. */
    private void enqueueAgain(final SegmentFetch fetch) {
        if (fetch.queued || !fetch.wantsMore()) {
            return;
        }
        if (pool.canTake(fetch.map.claim)) {
            fetch.queued = true;
            if (isUrgent(fetch) && !merging) {
                fetch.node.waiting.addFirst(fetch);
            } else {
                fetch.node.waiting.addLast(fetch);
            }
        } else if (!fetch.hungry) {
            fetch.hungry = true;
            hungry.addLast(fetch);
        }
    }

    private void request(final Node node, final SegmentFetch fetch) {
        final long offset = fetch.takeOffset();
        final int wanted = fetch.wantedAt(offset);
        final Chunk chunk = pool.take(fetch.map.claim);
        node.inFlight++;
        status.began(System.nanoTime());
        node.channel.fetch(
                fetch.id,
                offset,
                chunk.destination(wanted),
                new Request(node, node.channel, fetch, offset, wanted, chunk));
    }

    /** One request in flight. */
    private final class Request implements FetchListener {
        private final Node node;
        private final Channel channel;
        private final SegmentFetch fetch;
        private final long offset;
        private final int wanted;
        private final Chunk chunk;

        Request(
                final Node node,
                final Channel channel,
                final SegmentFetch fetch,
                final long offset,
                final int wanted,
                final Chunk chunk) {
            this.node = node;
            this.channel = channel;
            this.fetch = fetch;
            this.offset = offset;
            this.wanted = wanted;
            this.chunk = chunk;
        }

        @Override
        public void onFetched(final ByteBuffer destination, final FetchReply reply) {
            execute(() -> fetched(this, reply));
        }

        @Override
        public void onFailed(final ByteBuffer destination, final FetchException cause) {
            execute(() -> fetchFailed(this, cause));
        }
    }

    private void fetched(final Request request, final FetchReply reply) {
        final Node node = request.node;
        final SegmentFetch fetch = request.fetch;
        node.inFlight--;
        status.ended(reply.length(), System.nanoTime());
        fetchedBytes += reply.length();
        report.add(ShuffleFigure.FETCH_SPILLWAY_BYTES, reply.length());
        if (fetch.dropped) {
            pool.giveBack(fetch.map.claim, request.chunk);
            chunkReturned(fetch);
            pump(node);
            return;
        }
        final String problem =
                fetch.problemOf(reply, request.offset, request.wanted, settings.compressed);
        if (problem != null) {
            pool.giveBack(fetch.map.claim, request.chunk);
            pump(node);
            wrongLength(fetch, problem);
            return;
        }
        if (node.channel == request.channel) {
            node.proven = true;
            node.failures = 0;
            node.troubleSinceMillis = 0;
        }
        fetch.troubleSinceMillis = 0;
        if (!fetch.lengthsKnown()) {
            learn(fetch, reply);
        }
        request.chunk.length(reply.length());
        fetch.arrive(request.offset, request.chunk);
        deliver(fetch);
        enqueue(fetch);
        pump(node);
    }

    private void learn(final SegmentFetch fetch, final FetchReply reply) {
        final MapSlot map = fetch.map;
        fetch.learn(reply.partLength(), reply.rawLength());
        pool.demand(map.claim, settings.chunksFor(reply.partLength()) - 1);
        fetch.whole = pool.commitWhole(map.claim);
    }

    /** Hands on what has arrived in order. */
    private void deliver(final SegmentFetch fetch) {
        final long before = fetch.delivered();
        Chunk chunk = fetch.nextInOrder(settings.compressed);
        while (chunk != null) {
            hand(fetch, chunk);
            chunk = fetch.nextInOrder(settings.compressed);
        }
        if (merging) {
            context.getReduceShuffleBytes().increment(fetch.delivered() - before);
        }
        if (fetch.allDelivered()) {
            allDelivered(fetch);
        } else if (!fetch.whole && !merging && fetch.delivered() > 0) {
            copied(fetch);
        }
    }

    private void hand(final SegmentFetch fetch, final Chunk chunk) {
        if (chunk.length() == 0) {
            pool.giveBack(fetch.map.claim, chunk);
        } else {
            fetch.queue.put(chunk);
        }
    }

    private void allDelivered(final SegmentFetch fetch) {
        if (!fetch.checksumMatches()) {
            corrupt(fetch);
            return;
        }
        fetch.complete = true;
        if (!merging) {
            trim(fetch);
            pool.settle(fetch.map.claim);
            copied(fetch);
            commitMore();
        }
        fetch.queue.end();
    }

    /** A small segment needs no whole chunk. */
    private void trim(final SegmentFetch fetch) {
        if (settings.chunksFor(fetch.partLength()) == 1) {
            fetch.queue.drain().forEach(c -> fetch.queue.put(pool.trim(fetch.map.claim, c)));
        }
    }

    /** As long as maps run, whole segments are worth more than heads. */
    private void commitMore() {
        if (unannounced == 0) {
            return;
        }
        for (int i = hungry.size(); i > 0; i--) {
            final SegmentFetch fetch = hungry.pollFirst();
            fetch.hungry = false;
            if (fetch.wantsMore() && fetch.lengthsKnown()) {
                fetch.whole = fetch.whole || pool.commitWhole(fetch.map.claim);
            }
            enqueue(fetch);
        }
    }

    /** A chunk of a fetch is back in the pool: who can go on? */
    private void chunkReturned(final SegmentFetch fetch) {
        final SegmentFetch current = fetch.map.current;
        if (current != null) {
            enqueue(current);
        }
        if (merging) {
            for (int i = Math.min(LOOKED_AT, hungry.size()); i > 0 && pool.surplus() > 0; i--) {
                final SegmentFetch next = hungry.pollFirst();
                next.hungry = false;
                enqueue(next);
            }
        }
    }

    private void copied(final SegmentFetch fetch) {
        final MapSlot map = fetch.map;
        if (map.copied) {
            return;
        }
        map.copied = true;
        uncopied--;
        failures.copySucceeded(fetch.attempt, fetch.node.address.host(), nowMillis());
        if (!map.counted) {
            map.counted = true;
            context.getShuffledMapsCounter().increment(1);
        }
        showStatus();
        finishCopyIfDone();
    }

    private void showStatus() {
        status.copied(maps.length - uncopied, System.nanoTime());
    }

    private void finishCopyIfDone() {
        if (uncopied > 0 || merging) {
            return;
        }
        merging = true;
        if (maps.length == 0) {
            lastMapNanos = System.nanoTime();
        }
        pool.startStreaming();
        final List<SegmentFetch> fetches = new ArrayList<>();
        int streams = 0;
        for (final MapSlot map : maps) {
            if (map.current != null) {
                fetches.add(map.current);
                context.getReduceShuffleBytes().increment(map.current.delivered());
                streams += map.current.complete ? 0 : 1;
            }
        }
        report.add(ShuffleFigure.FETCH_OVERLAPPED_BYTES, overlappedBytes);
        report.note("maps", maps.length);
        report.note("hosts", nodes.size());
        report.note("streams", streams);
        LOG.info(
                "All {} maps are copied: {} as a whole, of {} the head; {} chunks of {} bytes",
                maps.length,
                fetches.size() - streams,
                streams,
                settings.chunks,
                settings.chunkSize);
        for (final SegmentFetch fetch : fetches) {
            enqueue(fetch);
        }
        copyDone.complete(fetches);
    }

    // ---- channels ------------------------------------------------------------------------------

    private void open(final Node node) {
        node.state = Node.State.OPENING;
        openers.execute(
                () -> {
                    try {
                        final Channel channel = transport.open(node.address, credentials);
                        opened(node, channel);
                    } catch (final FetchException e) {
                        execute(() -> openFailed(node, e));
                    } catch (final RuntimeException | Error e) {
                        fail(e);
                    }
                });
    }

    private void opened(final Node node, final Channel channel) {
        if (closed) {
            channel.close();
        }
        execute(
                () -> {
                    node.channel = channel;
                    node.proven = false;
                    node.state = Node.State.OPEN;
                    pump(node);
                });
    }

    private void openFailed(final Node node, final FetchException cause) {
        node.state = Node.State.IDLE;
        if (cause.reason() == FetchException.Reason.NOT_SPILLWAY && !merging) {
            LOG.info("{} answers stock HTTP only: {}", node.address, cause.getMessage());
            node.httpOnly = true;
            restartBegun(node);
            pump(node);
            return;
        }
        LOG.warn("Failed to connect to {}", node.address, cause);
        nodeFailed(node, cause);
    }

    /** What was begun over a channel cannot be finished over HTTP. */
    private void restartBegun(final Node node) {
        for (final MapSlot map : maps) {
            final SegmentFetch fetch = map.current;
            if (fetch != null && fetch.node == node && !fetch.complete && fetch.lengthsKnown()) {
                drop(map);
                startNext(map);
            }
        }
    }

    private void fetchFailed(final Request request, final FetchException cause) {
        final Node node = request.node;
        final SegmentFetch fetch = request.fetch;
        node.inFlight--;
        status.ended(0, System.nanoTime());
        retries++;
        if (fetch.dropped) {
            pool.giveBack(fetch.map.claim, request.chunk);
        } else {
            pool.giveBackUnfilled(fetch.map.claim, request.chunk);
            fetch.askAgain(request.offset);
        }
        if (isNodeRefusal(cause)) {
            requeue(fetch);
            nodeRefused(request, cause);
        } else if (request.channel.isOpen()) {
            mapFailed(fetch, cause);
        } else {
            requeue(fetch);
            channelLost(request, cause);
        }
        chunkReturned(fetch);
        pump(node);
    }

    private static boolean isNodeRefusal(final FetchException cause) {
        return cause.reason() == FetchException.Reason.UNKNOWN_JOB
                || cause.reason() == FetchException.Reason.BUSY;
    }

    /** Keeps a fetch in its node's queue whatever happens to the node next. */
    private void requeue(final SegmentFetch fetch) {
        if (!fetch.queued && fetch.wantsMore()) {
            fetch.queued = true;
            fetch.node.waiting.addLast(fetch);
        }
    }

    private void closeChannel(final Request request) {
        final Node node = request.node;
        request.channel.close();
        if (node.channel == request.channel) {
            node.channel = null;
            node.state = Node.State.IDLE;
        }
    }

    /** The node knows the job no more, or has no room: as if it could not be reached. */
    private void nodeRefused(final Request request, final FetchException cause) {
        final Node node = request.node;
        if (node.channel == request.channel) {
            LOG.info("{} refuses: {}", node.address, cause.getMessage());
            closeChannel(request);
            nodeFailed(node, cause);
        }
    }

    /** A channel that worked is opened again at once; one that never did is a failure. */
    private void channelLost(final Request request, final FetchException cause) {
        final Node node = request.node;
        if (node.channel != request.channel) {
            return;
        }
        LOG.info("Connection to {} lost: {}", node.address, cause.getMessage());
        closeChannel(request);
        if (!node.proven) {
            nodeFailed(node, cause);
        }
    }

    // ---- failures ------------------------------------------------------------------------------

    /** A node cannot be reached, or refuses everything. */
    private void nodeFailed(final Node node, final IOException cause) {
        count(ShuffleError.IO_ERROR);
        count(ShuffleError.CONNECTION);
        retries++;
        node.failures++;
        // From here on nothing is asked of the node, until it has rested.
        node.state = Node.State.RESTING;
        if (merging) {
            streamsFailed(node, cause);
            return;
        }
        if (mayRetrySilently(node)) {
            rest(node, settings.fetchRetryIntervalMillis);
            return;
        }
        failures.hostFailed(node.address.host());
        final boolean refused = hasCause(cause, ConnectException.class);
        long delay = Math.min(FIRST_PENALTY_MILLIS, settings.maxPenaltyMillis);
        int counted = 0;
        for (final SegmentFetch fetch : List.copyOf(node.waiting)) {
            if (!fetch.dropped && counted++ < HttpFetch.MAX_MAPS) {
                delay = countFailure(fetch, false, refused);
                if (fetch.map.candidates.size() > 1) {
                    restartAfter(fetch, delay);
                }
            }
        }
        rest(node, delay);
    }

    /** Stock's grace for NodeManagers that restart: no failure counts in that time. */
    private boolean mayRetrySilently(final Node node) {
        final long now = nowMillis();
        if (node.troubleSinceMillis == 0) {
            node.troubleSinceMillis = now;
        }
        return settings.fetchRetry && now - node.troubleSinceMillis < settings.fetchRetryMillis;
    }

    private static boolean hasCause(final Throwable failure, final Class<?> type) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }

    private void rest(final Node node, final long millis) {
        node.state = Node.State.RESTING;
        schedule(
                millis,
                () -> {
                    node.state = Node.State.IDLE;
                    pump(node);
                });
    }

    /** Counts a failure of a map by stock's rules; gives the delay of the next try. */
    private long countFailure(
            final SegmentFetch fetch, final boolean readError, final boolean refused) {
        try {
            return failures.copyFailed(
                    fetch.attempt,
                    fetch.node.address.host(),
                    readError,
                    refused,
                    maps.length - uncopied,
                    nowMillis());
        } catch (final IOException e) {
            fail(e);
            return settings.maxPenaltyMillis;
        }
    }

    /** The node answers, but not with this map's output. */
    private void mapFailed(final SegmentFetch fetch, final Exception cause) {
        if (fetch.dropped) {
            return;
        }
        count(ShuffleError.IO_ERROR);
        if (merging) {
            streamFailed(fetch, cause, nowMillis());
            fetch.resting = true;
            schedule(
                    STREAM_RETRY_MAX_MILLIS,
                    () -> {
                        fetch.resting = false;
                        enqueue(fetch);
                    });
            return;
        }
        LOG.warn("Failed to shuffle output of {}", fetch, cause);
        failures.hostFailed(fetch.node.address.host());
        restartAfter(fetch, countFailure(fetch, true, false));
    }

    /** Drops a fetch; its map is fetched from scratch, from another source if there is one. */
    private void restartAfter(final SegmentFetch fetch, final long delayMillis) {
        final MapSlot map = fetch.map;
        drop(map);
        for (final MapSlot.Candidate candidate : map.candidates) {
            if (candidate.attempt.equals(fetch.attempt)) {
                candidate.notBeforeMillis = nowMillis() + delayMillis;
            }
        }
        startNext(map);
    }

    private void corrupt(final SegmentFetch fetch) {
        final IOException cause =
                new IOException(
                        "Checksum error in map output of "
                                + fetch
                                + ", "
                                + fetch.partLength()
                                + " bytes");
        if (!merging) {
            mapFailed(fetch, cause);
            return;
        }
        count(ShuffleError.IO_ERROR);
        // Only the MRAppMaster can have the map run again. It acts on a number of reports.
        for (int i = 0; i < settings.notificationsForRerun; i++) {
            report(fetch.attempt);
        }
        fetch.queue.fail(
                new IOException(
                        cause.getMessage()
                                + "; its records were being merged; a fetch failure was reported"
                                + " to the MRAppMaster",
                        cause));
    }

    private void wrongLength(final SegmentFetch fetch, final String problem) {
        count(ShuffleError.WRONG_LENGTH);
        final IOException cause =
                new IOException("Wrong length of map output of " + fetch + ": " + problem);
        if (merging) {
            report(fetch.attempt);
            fetch.queue.fail(cause);
            return;
        }
        LOG.warn("Failed to shuffle output of {}", fetch, cause);
        failures.hostFailed(fetch.node.address.host());
        restartAfter(fetch, countFailure(fetch, true, false));
    }

    private void streamsFailed(final Node node, final IOException cause) {
        final long now = nowMillis();
        for (final MapSlot map : maps) {
            if (map.current != null && map.current.node == node && map.current.wantsMore()) {
                streamFailed(map.current, cause, now);
            }
        }
        final int doublings = Math.min(10, node.failures - 1);
        rest(node, Math.min(STREAM_RETRY_MAX_MILLIS, STREAM_RETRY_MIN_MILLIS << doublings));
    }

    /** A stream whose records are being merged can only go on with the same attempt. */
    private void streamFailed(final SegmentFetch fetch, final Exception cause, final long now) {
        if (fetch.troubleSinceMillis == 0) {
            fetch.troubleSinceMillis = now;
        }
        if (!fetch.obsolete
                && (fetch.reportedMillis == 0
                        || now - fetch.reportedMillis >= REPORT_AGAIN_MILLIS)) {
            fetch.reportedMillis = now;
            context.getFailedShuffleCounter().increment(1);
            LOG.info("Reporting fetch failure for {} to MRAppMaster.", fetch.attempt);
            report(fetch.attempt);
        }
        final long lostFor = now - fetch.troubleSinceMillis;
        if (lostFor >= settings.streamRetryMillis) {
            fetch.dropped = true;
            fetch.queue.fail(
                    new IOException(
                            "Lost map output of "
                                    + fetch
                                    + " after "
                                    + fetch.delivered()
                                    + " of "
                                    + fetch.partLength()
                                    + " bytes, while its records were being merged; tried again"
                                    + " for "
                                    + lostFor
                                    + " ms (spillway.shuffle.stream.retry.ms="
                                    + settings.streamRetryMillis
                                    + "); a fetch failure was reported to the MRAppMaster: "
                                    + cause.getMessage(),
                            cause));
        }
    }

    private void report(final TaskAttemptID attempt) {
        context.getStatus().addFetchFailedMap(attempt);
    }

    private void count(final ShuffleError error) {
        final Counters.Counter counter =
                context.getReporter().getCounter(ShuffleError.GROUP, error.name());
        if (counter != null) {
            counter.increment(1);
        }
    }

    // ---- stock HTTP ----------------------------------------------------------------------------

    private void fetchOverHttp(final Node node) {
        final List<SegmentFetch> batch = new ArrayList<>();
        while (batch.size() < HttpFetch.MAX_MAPS && !node.waiting.isEmpty()) {
            final SegmentFetch fetch = node.waiting.pollFirst();
            fetch.queued = false;
            if (!fetch.dropped && !fetch.complete) {
                batch.add(fetch);
            }
        }
        if (batch.isEmpty()) {
            return;
        }
        node.state = Node.State.HTTP_BUSY;
        final HttpFetch request = new HttpFetch(settings, secret, node, batch, new HttpSink());
        httpFetches.add(request);
        httpThreads.execute(
                () -> {
                    try {
                        request.run();
                    } catch (final RuntimeException | Error e) {
                        fail(e);
                    } finally {
                        execute(() -> httpFetches.remove(request));
                    }
                });
    }

    private final class HttpSink implements HttpFetch.Sink {
        @Override
        public Placement place(final SegmentFetch fetch, final long part, final long raw)
                throws IOException, InterruptedException {
            final CompletableFuture<Placement> answer = new CompletableFuture<>();
            execute(
                    () -> {
                        try {
                            answer.complete(placed(fetch, part, raw));
                        } catch (final RuntimeException e) {
                            answer.completeExceptionally(e);
                            throw e;
                        }
                    });
            try {
                while (!answer.isDone() && !closed && failure == null) {
                    waitFor(answer);
                }
                return answer.isDone() ? answer.get() : Placement.NOWHERE;
            } catch (final ExecutionException e) {
                throw new IOException(e.getCause());
            }
        }

        private void waitFor(final CompletableFuture<Placement> answer)
                throws InterruptedException, ExecutionException {
            try {
                answer.get(StallClock.HEARTBEAT_MILLIS, TimeUnit.MILLISECONDS);
            } catch (final TimeoutException e) {
                LOG.trace("Still waiting for room", e);
            }
        }

        @Override
        public void fetched(final SegmentFetch fetch, final Placement placement) {
            execute(() -> httpFetched(fetch, placement));
        }

        @Override
        public void failed(
                final SegmentFetch fetch,
                final Placement placementOrNull,
                final ShuffleError error,
                final Exception cause) {
            execute(() -> httpFailed(fetch, placementOrNull, error, cause));
        }

        @Override
        public void refused(
                final Node node, final List<SegmentFetch> untouched, final long millis) {
            LOG.warn("Connection rejected by the host {}. Will retry later.", node.address);
            execute(
                    () -> {
                        untouched.forEach(FetchCoordinator.this::requeue);
                        rest(node, millis);
                    });
        }

        @Override
        public void unreachable(
                final Node node, final List<SegmentFetch> untouched, final IOException cause) {
            LOG.warn("Failed to fetch from {} over HTTP", node.address, cause);
            execute(
                    () -> {
                        untouched.forEach(FetchCoordinator.this::requeue);
                        nodeFailed(node, cause);
                    });
        }

        @Override
        public void ended(final Node node, final List<SegmentFetch> untouched) {
            execute(
                    () -> {
                        untouched.forEach(FetchCoordinator.this::requeue);
                        if (untouched.isEmpty()) {
                            node.state = Node.State.IDLE;
                            pump(node);
                        } else {
                            rest(node, POSTPONE_MILLIS);
                        }
                    });
        }

        @Override
        public void localFailure(final IOException cause) {
            fail(cause);
        }
    }

    private Placement placed(final SegmentFetch fetch, final long part, final long raw) {
        if (fetch.dropped || failure != null) {
            return Placement.NOWHERE;
        }
        final ChunkPool.Claim claim = fetch.map.claim;
        final int wanted = settings.chunksFor(part);
        pool.demand(claim, wanted);
        if (pool.commitWhole(claim)) {
            fetch.learn(part, raw);
            final List<Chunk> chunks = new ArrayList<>(wanted);
            for (int i = 0; i < wanted; i++) {
                chunks.add(pool.take(claim));
            }
            return new Placement(chunks, null);
        }
        pool.demand(claim, 1);
        if (!pool.canTake(claim)) {
            pool.restart(claim);
            return Placement.NOWHERE;
        }
        try {
            final Path file = localFile(fetch, part);
            fetch.learn(part, raw);
            return new Placement(List.of(pool.take(claim)), file);
        } catch (final IOException e) {
            fail(e);
            return Placement.NOWHERE;
        }
    }

    private Path localFile(final SegmentFetch fetch, final long part) throws IOException {
        final String path =
                context.getMapOutputFile()
                        .getInputFileForWrite(fetch.attempt.getTaskID(), part)
                        .toUri()
                        .getPath();
        return Path.of(path + "." + fetch.attempt.getId() + ".spillway");
    }

    private void httpFetched(final SegmentFetch fetch, final Placement placement) {
        fetchedBytes += fetch.partLength();
        report.add(ShuffleFigure.FETCH_HTTP_BYTES, fetch.partLength());
        fetch.node.failures = 0;
        fetch.node.troubleSinceMillis = 0;
        if (fetch.dropped) {
            release(fetch, placement);
            return;
        }
        if (placement.file() == null) {
            placement.chunks().forEach(chunk -> hand(fetch, chunk));
            trim(fetch);
        } else {
            report.add(ShuffleFigure.FETCH_HTTP_DISK_BYTES, fetch.partLength());
            fetch.file =
                    new FileSource(
                            placement.file(),
                            fetch.partLength(),
                            settings.compressed,
                            placement.chunks().get(0));
        }
        fetch.complete = true;
        fetch.queue.end();
        pool.settle(fetch.map.claim);
        fetch.deliveredWhole();
        copied(fetch);
        commitMore();
    }

    private void release(final SegmentFetch fetch, final Placement placement) {
        placement.chunks().forEach(chunk -> pool.giveBack(fetch.map.claim, chunk));
        if (placement.file() != null) {
            new FileSource(placement.file(), 0, true, placement.chunks().get(0)).close();
        }
        chunkReturned(fetch);
    }

    private void httpFailed(
            final SegmentFetch fetch,
            final Placement placementOrNull,
            final ShuffleError error,
            final Exception cause) {
        if (placementOrNull != null) {
            release(fetch, placementOrNull);
        }
        if (fetch.dropped) {
            return;
        }
        count(error);
        retries++;
        LOG.warn("Failed to shuffle output of {} over HTTP", fetch, cause);
        if (error == ShuffleError.IO_ERROR && mayRetrySilently(fetch.node)) {
            restartAfter(fetch, settings.fetchRetryIntervalMillis);
            return;
        }
        failures.hostFailed(fetch.node.address.host());
        restartAfter(fetch, countFailure(fetch, true, false));
    }

    // ---- end -----------------------------------------------------------------------------------

    /** Frees everything. Idempotent; waits for the coordinator's thread, but not for long. */
    @Override
    public void close() {
        synchronized (copyDone) {
            if (closed) {
                return;
            }
            closed = true;
        }
        copyDone.completeExceptionally(new IOException("The shuffle was closed"));
        openers.shutdownNow();
        final CountDownLatch released = new CountDownLatch(1);
        loop.execute(
                () -> {
                    release();
                    released.countDown();
                });
        awaitReleased(released);
        loop.shutdownNow();
        httpThreads.shutdownNow();
        transport.close();
    }

    /** Waits even when the task was interrupted: local files are deleted meanwhile. */
    private static void awaitReleased(final CountDownLatch released) {
        final long deadline = nowMillis() + JOIN_MILLIS;
        boolean interrupted = false;
        while (released.getCount() > 0 && nowMillis() < deadline) {
            try {
                if (!released.await(deadline - nowMillis(), TimeUnit.MILLISECONDS)) {
                    LOG.warn("The shuffle's coordinator does not end");
                }
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void release() {
        failQueues(new IOException("The shuffle was closed"));
        httpFetches.forEach(HttpFetch::abort);
        for (final Node node : nodes.values()) {
            if (node.channel != null) {
                node.channel.close();
            }
        }
        for (final MapSlot map : maps) {
            if (map.current != null && map.current.file != null) {
                map.current.file.close();
            }
        }
        report.note("retries", retries);
        report.note("bufferAllocated", pool.allocatedBytes());
    }
}
