// SPDX-License-Identifier: Apache-2.0
package io.spillway.frame;

import io.spillway.version.VersionRange;

/** A frame of a version that is not accepted: of its header, type and version can be read. */
public final class OtherVersionException extends MalformedFrameException {
    private static final long serialVersionUID = 1L;

    private final transient FrameKind frame;

    OtherVersionException(final FrameKind frame, final int version, final VersionRange accepted) {
        super(frame + " frame: version=" + version + ", expected " + accepted);
        this.frame = frame;
    }

    /** What this version takes the frame for; types keep their codes. */
    public FrameKind frame() {
        return frame;
    }
}
