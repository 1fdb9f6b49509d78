package io.spillway.wire;

/** A frame of another version of its protocol, which only its header can be read of. */
public final class OtherVersionException extends MalformedFrameException {
    private static final long serialVersionUID = 1L;

    private final transient FrameKind frame;

    OtherVersionException(final FrameKind frame, final byte theirs) {
        super(frame + " frame: version=" + theirs + ", expected " + frame.version());
        this.frame = frame;
    }

    /** What this version takes the frame for; types keep their codes. */
    public FrameKind frame() {
        return frame;
    }
}
