// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement;

import io.spillway.frame.MalformedFrameException;
import io.spillway.placement.book.PlacementBook;
import io.spillway.placement.conf.PlacementKeys;
import io.spillway.placement.message.LeaseAnswer;
import io.spillway.placement.message.LeaseRequest;
import io.spillway.placement.message.LocateAnswer;
import io.spillway.placement.message.LocateRequest;
import io.spillway.placement.message.MessageKind;
import io.spillway.placement.message.NodeOrders;
import io.spillway.placement.message.NodeReport;
import io.spillway.placement.message.SealedJob;
import io.spillway.placement.secret.ClusterSecret;
import io.spillway.placement.status.StatusRequest;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.serve.NodeService;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import javax.crypto.AEADBadTagException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers what nodes and tasks ask about the placement of outputs. A node reports, and asks for the
 * status, as {@link ClusterSecret#CALLER_ID}; a job leases and locates its own outputs, and no
 * other's. Thread-safe; does not block.
 *
 * <p>Calls fail with {@code UNAUTHORIZED} for what the caller may not ask, {@code PROTOCOL} for
 * bytes that are no question, {@code CONFLICT} for a node in whose place a younger one reports.
 */
public final class PlacementService implements NodeService {
    private static final Logger LOG = LoggerFactory.getLogger(PlacementService.class);

    /** What nodes ask, and no job. */
    private static final Set<MessageKind> OF_NODES =
            EnumSet.of(MessageKind.REPORT, MessageKind.STATUS);

    private final PlacementBook book;
    private final MemberKeys keys;
    private final ClusterSecret cluster;
    private final boolean takesFormer;
    private final Executor thread;

    /**
     * Creates a service over a book.
     *
     * @param cluster opens and seals the secrets of jobs
     * @param takesFormer whether nodes of the former release may report, which get whole secrets
     * @param thread answers: the threads of connections do not wait for the book
     */
    public PlacementService(
            final PlacementBook book,
            final ClusterSecret cluster,
            final boolean takesFormer,
            final Executor thread) {
        this.book = Objects.requireNonNull(book, "book");
        this.cluster = Objects.requireNonNull(cluster, "cluster");
        this.keys = new MemberKeys(cluster);
        this.takesFormer = takesFormer;
        this.thread = Objects.requireNonNull(thread, "thread");
    }

    /** The secret of a job whose tasks ask; null where no host has reported it. */
    public byte[] secretOf(final String jobId) {
        final SealedJob job = book.sealed(jobId);
        if (job == null) {
            return null;
        }
        try {
            return job.secret().open(cluster, job.id(), job.user());
        } catch (final AEADBadTagException e) {
            LOG.debug("The secret of {} does not open", jobId, e);
            return null;
        }
    }

    @Override
    public void call(final String jobId, final ByteBuffer request, final Reply reply) {
        try {
            thread.execute(() -> answer(jobId, request, reply));
        } catch (final RejectedExecutionException e) {
            reply.failed(new FetchException(Reason.NO_SERVICE, "placement has stopped", e));
        }
    }

    private void answer(final String jobId, final ByteBuffer request, final Reply reply) {
        final ByteBuffer answer;
        try {
            answer = answer(jobId, request);
        } catch (final FetchException e) {
            reply.failed(e);
            return;
        } catch (final MalformedFrameException e) {
            reply.failed(new FetchException(Reason.PROTOCOL, e.getMessage(), e));
            return;
        } catch (final RuntimeException | Error e) {
            LOG.error("The placement service failed to answer {}", jobId, e);
            reply.failed(new FetchException(Reason.SOURCE_FAILED, "placement failed: " + e, e));
            return;
        }
        reply.done(answer);
    }

    private ByteBuffer answer(final String jobId, final ByteBuffer request)
            throws FetchException, MalformedFrameException {
        final MessageKind kind = MessageKind.of(request);
        requireAllowed(jobId, kind);
        return switch (kind) {
            case REPORT -> answer(NodeReport.decode(request));
            case LEASE -> {
                final LeaseRequest lease = LeaseRequest.decode(request);
                yield new LeaseAnswer(book.lease(jobId, lease)).encode();
            }
            case LOCATE -> {
                final LocateRequest locate = LocateRequest.decode(request);
                yield new LocateAnswer(book.locate(jobId, locate.outputs())).encode();
            }
            case STATUS -> book.status().part(StatusRequest.decode(request)).encode();
            case ORDERS, LEASED, LOCATED, STATUS_PART ->
                    throw MalformedFrameException.of(
                            "placement", "kind", kind, "REPORT, LEASE, LOCATE or STATUS");
        };
    }

    private ByteBuffer answer(final NodeReport report)
            throws FetchException, MalformedFrameException {
        if (report.version() == MessageKind.V2 && !takesFormer) {
            throw MalformedFrameException.of(
                    MessageKind.REPORT,
                    "version",
                    report.version(),
                    MessageKind.V3
                            + ": upgrade node "
                            + report.node()
                            + ", or set "
                            + PlacementKeys.PLACEMENT_FORMER_NODES
                            + "=true where the placement service runs");
        }
        final NodeOrders orders = book.report(report);
        return orders.with(keys.of(report, orders.changes())).encode(report.version());
    }

    private static void requireAllowed(final String jobId, final MessageKind kind)
            throws FetchException {
        final boolean isNode = jobId.equals(ClusterSecret.CALLER_ID);
        if (isNode != OF_NODES.contains(kind)) {
            throw new FetchException(
                    Reason.UNAUTHORIZED,
                    kind
                            + " of "
                            + jobId
                            + ": reports and the status are for "
                            + ClusterSecret.CALLER_ID
                            + ", all else for jobs");
        }
    }
}
