// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.descriptor;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameForm;
import io.spillway.frame.FrameKind;
import io.spillway.frame.FrameSet;
import io.spillway.version.VersionRange;

/** The messages between a task of another user and its node; all have the same fields. */
enum DescriptorFrame implements FrameKind {
    /** Task to node: its job, attempt, tier (as a code on the wire) and nonce. */
    HELLO(1),
    /** Node to task: its nonce. */
    CHALLENGE(2),
    /** Task to node: its proof. */
    PROOF(3),
    /** Node to task: its own proof. */
    WELCOME(4),
    /** Node to task: the refusal and its reason. The node then closes the connection. */
    REFUSED(5),
    /** Task to node: create a file with room for so many bytes; the answer is {@link #GRANTED}. */
    OPEN(6),
    /** Task to node: pass the descriptor, which is the answer. */
    TAKE(7),
    /** Task to node: it has opened the file. */
    TAKEN(8),
    /** Task to node: let the file grow to so many bytes; the answer is {@link #GRANTED}. */
    GROW(9),
    /** Task to node: the file is complete with so many bytes; the answer is {@link #DONE}. */
    COMPLETE(10),
    /** Task to node: delete the file. */
    DELETE(11),
    /** Task to node: keep the task's files until the job ends. */
    COMMIT(12),
    /** Task to node: delete the uncommitted files of the task. */
    CLOSE(13),
    /** Node to task: the granted bytes, and the path of the file. */
    GRANTED(14),
    /** Node to task: the request is done. It has the path of the file. */
    DONE(15),
    /** Node to task: there is no room for the request. */
    FULL(16),
    /** Node to task: the request has failed. */
    FAILED(17);

    /** There is one version so far. */
    static final VersionRange VERSIONS = VersionRange.only(1);

    static final int MAX_NAME_LENGTH = 256;
    static final int MAX_TEXT_LENGTH = 4096;
    static final int MAX_BLOCK_LENGTH = 32;

    private static final BodyBounds BODY =
            BodyBounds.of(Long.BYTES)
                    .plusShort(0, MAX_NAME_LENGTH)
                    .plusShort(0, MAX_TEXT_LENGTH)
                    .plusShort(0, MAX_BLOCK_LENGTH);

    static final FrameSet<DescriptorFrame> FRAMES =
            new FrameSet<>("descriptor", FrameForm.SHORT_TEXTS, values());

    private final byte code;

    DescriptorFrame(final int code) {
        this.code = (byte) code;
    }

    @Override
    public byte code() {
        return code;
    }

    @Override
    public BodyBounds body() {
        return BODY;
    }
}
