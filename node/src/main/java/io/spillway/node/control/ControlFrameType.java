// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameForm;
import io.spillway.frame.FrameKind;
import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameSet;
import io.spillway.frame.FrameWriter;
import io.spillway.version.VersionRange;
import java.nio.ByteBuffer;

/** The frames of the control protocol, with their codes and the bounds of their bodies. */
public enum ControlFrameType implements FrameKind {
    /** Handler to node: who it is, and where map outputs lie. */
    HELLO(1, ManagerHello.BODY),
    /** Node to handler: its epoch and how it can be fetched from. */
    WELCOME(2, NodeWelcome.BODY),
    /** Node to a peer that connected: no, and why; it closes after this. */
    REFUSED(3, NodeRefusal.BODY),
    /** Handler to node: a job runs here. */
    JOB(4, JobNotice.BODY),
    /** Handler to node: there are no other jobs. */
    JOBS_TOLD(5, BodyBounds.EMPTY),
    /** Handler to node: a job has ended. */
    JOB_ENDED(6, JobEvent.BODY),
    /** Handler to node: a task of a job has ended here. */
    TASK_ENDED(7, JobEvent.BODY),
    /** Handler to node: are you there? */
    PING(8, BodyBounds.EMPTY),
    /** Node to handler: I am. */
    PONG(9, BodyBounds.EMPTY),
    /** Any process of the user to node: how are you? */
    STATUS(10, BodyBounds.EMPTY),
    /** Node to a peer that asked: its status. */
    STATUS_REPORT(11, StatusReply.BODY),
    /** Any process of the user to node: how are all nodes of your cluster? */
    CLUSTER(12, BodyBounds.EMPTY),
    /** Any process of the user to node: refuse new outputs. The answer is its status. */
    DRAIN(13, BodyBounds.EMPTY),
    /** Any process of the user to node: take outputs again. The answer is its status. */
    DRAIN_CANCEL(14, BodyBounds.EMPTY);

    /** The only version so far. */
    public static final int V3 = 3;

    /** The versions that are understood: this release's, and the one before. */
    public static final VersionRange VERSIONS = VersionRange.only(V3);

    /** The longest name, in bytes. */
    static final int MAX_NAME_LENGTH = 256;

    /** All of them. */
    static final FrameSet<ControlFrameType> FRAMES =
            new FrameSet<>("control", FrameForm.LONG_TEXTS, values());

    private final byte code;

    @SuppressWarnings("ImmutableEnumChecker") // a record of two numbers
    private final BodyBounds body;

    ControlFrameType(final int code, final BodyBounds body) {
        this.code = (byte) code;
        this.body = body;
    }

    @Override
    public byte code() {
        return code;
    }

    @Override
    public BodyBounds body() {
        return body;
    }

    FrameReader reader(final ByteBuffer bytes) {
        return FRAMES.reader(this, bytes);
    }

    FrameWriter writer() {
        return FRAMES.writer(this, VERSIONS.newest());
    }

    /** A frame without a body. */
    public ByteBuffer encodeEmpty() {
        return writer().finish();
    }
}
