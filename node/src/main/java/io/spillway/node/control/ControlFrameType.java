package io.spillway.node.control;

/** The frames of the control protocol, with their codes and the bounds of their bodies. */
public enum ControlFrameType {
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
    STATUS_REPORT(11, StatusReply.MIN_BODY_LENGTH, StatusReply.MAX_BODY_LENGTH);

    private static final ControlFrameType[] BY_CODE = new ControlFrameType[12];

    static {
        for (final ControlFrameType type : values()) {
            BY_CODE[type.code] = type;
        }
    }

    private final byte code;
    private final int minBodyLength;
    private final int maxBodyLength;

    ControlFrameType(final int code, final int minBodyLength, final int maxBodyLength) {
        this.code = (byte) code;
        this.minBodyLength = minBodyLength;
        this.maxBodyLength = maxBodyLength;
    }

    byte code() {
        return code;
    }

    int minBodyLength() {
        return minBodyLength;
    }

    int maxBodyLength() {
        return maxBodyLength;
    }

    /** The type with this code, or null. */
    static ControlFrameType ofCode(final int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
