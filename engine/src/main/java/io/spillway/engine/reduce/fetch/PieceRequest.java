// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.thread.LoopMessage;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchListener;
import io.spillway.transport.FetchReply;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlaces;
import java.nio.ByteBuffer;

/** One request in flight; then the message that brings its answer, which needs no memory. */
public abstract class PieceRequest implements FetchListener, Runnable {
    protected final Node node;
    protected final Channel channel;
    private final ShuffleLoop loop;
    private final LoopMessage message;
    private FetchReply reply;
    private SegmentPlaces places;
    private FetchException cause;

    /** A request over a node's open channel, whose answer is such a message. */
    protected PieceRequest(final Node node, final ShuffleLoop loop, final LoopMessage message) {
        this.node = node;
        this.channel = node.channel();
        this.loop = loop;
        this.message = message;
    }

    /** Goes out. */
    public final void send(final SegmentId id, final long offset, final ByteBuffer destination) {
        node.requestBegan(loop.nowMillis());
        channel.fetch(id, offset, destination, this);
    }

    @Override
    public final void onFetched(final ByteBuffer destination, final FetchReply answer) {
        reply = answer;
        loop.execute(message, this);
    }

    @Override
    public final void onElsewhere(final ByteBuffer destination, final SegmentPlaces others) {
        places = others;
        loop.execute(message, this);
    }

    @Override
    public final void onFailed(final ByteBuffer destination, final FetchException failure) {
        cause = failure;
        loop.execute(message, this);
    }

    @Override
    public final void run() {
        node.requestEnded(loop.nowMillis());
        if (reply != null) {
            fetched(reply);
        } else if (places != null) {
            elsewhere(places);
        } else {
            failed(cause);
        }
    }

    /** The bytes are here. Loop's thread, as all that follow. */
    protected abstract void fetched(FetchReply answer);

    /** The node names others. */
    protected abstract void elsewhere(SegmentPlaces others);

    /** There is no answer, or a refusal. */
    protected abstract void failed(FetchException failure);
}
