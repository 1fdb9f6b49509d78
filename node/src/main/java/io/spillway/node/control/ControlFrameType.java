// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameKind;
import io.spillway.frame.FrameSet;
import io.spillway.version.VersionRange;
import java.nio.ByteBuffer;

/** The frames of the control protocol, with their codes and the bounds of their bodies. */
public enum ControlFrameType implements FrameKind {
    /** Handler to node: who it is, and where map outputs lie. */
    HELLO(1, ManagerHello.MIN_BODY_LENGTH, ManagerHello.MAX_BODY_LENGTH),
    /** Node to handler: its epoch and how it can be fetched from. */
    WELCOME(2, NodeWelcome.MIN_BODY_LENGTH, NodeWelcome.MAX_BODY_LENGTH),
    /** Node to a peer that connected: no, and why; it closes after this. */
    REFUSED(3, NodeRefusal.MIN_BODY_LENGTH, NodeRefusal.MAX_BODY_LENGTH),
    /** Handler to node: a job runs here. */
    JOB(4, JobNotice.MIN_BODY_LENGTH, JobNotice.MAX_BODY_LENGTH),
    /** Handler to node: there are no other jobs. */
    JOBS_TOLD(5, 0, 0),
    /** Handler to node: a job has ended. */
    JOB_ENDED(6, JobEvent.MIN_BODY_LENGTH, JobEvent.MAX_BODY_LENGTH),
    /** Handler to node: a task of a job has ended here. */
    TASK_ENDED(7, JobEvent.MIN_BODY_LENGTH, JobEvent.MAX_BODY_LENGTH),
    /** Handler to node: are you there? */
    PING(8, 0, 0),
    /** Node to handler: I am. */
    PONG(9, 0, 0),
    /** Any process of the user to node: how are you? */
    STATUS(10, 0, 0),
    /** Node to a peer that asked: its status. */
    STATUS_REPORT(11, StatusReply.MIN_BODY_LENGTH, StatusReply.MAX_BODY_LENGTH),
    /** Any process of the user to node: how are all nodes of your cluster? */
    CLUSTER(12, 0, 0);

    /** The only version so far. */
    public static final int V3 = 3;

    /** The versions that are understood: this release's, and the one before. */
    public static final VersionRange VERSIONS = VersionRange.only(V3);

    /** All of them. */
    static final FrameSet<ControlFrameType> FRAMES = new FrameSet<>("control", values());

    private final byte code;
    private final int minBodyLength;
    private final int maxBodyLength;

    ControlFrameType(final int code, final int minBodyLength, final int maxBodyLength) {
        this.code = (byte) code;
        this.minBodyLength = minBodyLength;
        this.maxBodyLength = maxBodyLength;
    }

    @Override
    public byte code() {
        return code;
    }

    @Override
    public int minBodyLength() {
        return minBodyLength;
    }

    @Override
    public int maxBodyLength() {
        return maxBodyLength;
    }

    /** A buffer for a whole frame, with its header written. */
    ByteBuffer allocate(final int bodyLength) {
        if (bodyLength < minBodyLength || bodyLength > maxBodyLength) {
            throw new IllegalArgumentException(
                    this
                            + " frame: body length="
                            + bodyLength
                            + ", expected "
                            + minBodyLength
                            + " to "
                            + maxBodyLength);
        }
        final ByteBuffer out = ByteBuffer.allocate(FrameHeader.LENGTH + bodyLength);
        FrameHeader.encode(out, this, VERSIONS.newest(), bodyLength);
        return out;
    }

    /** A frame without a body. */
    public ByteBuffer encodeEmpty() {
        return allocate(0).flip();
    }
}
