// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.frame.MalformedFrameException;
import io.spillway.seal.MessageOpener.Opened;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages open in any order, each once, and only unchanged. */
final class MessageSealTest {
    private static final int MAX_HEADER = 2000;

    private final Random random = new Random(11);
    private SealKeys keys;
    private MessageSeal seal;
    private MessageOpener opener;

    private void begin(final Protection protection) {
        keys = SealKeys.of(protection, new byte[SealKeys.SECRET_LENGTH]);
        seal = new MessageSeal(keys, MAX_HEADER);
        opener = new MessageOpener(keys, MAX_HEADER);
    }

    private byte[] randomBytes(final int length) {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] sealed(final long number, final byte[] header, final byte[] tags) {
        final ByteBuffer out = ByteBuffer.allocate(header.length + tags.length + 100);
        out.putLong(number).put(header).put(tags);
        seal.sealHeader(number, out, MessageSeal.NUMBER_LENGTH);
        return Arrays.copyOf(out.array(), out.position());
    }

    private byte[] sealed(final byte[] header) {
        return sealed(seal.reserve(), header, new byte[0]);
    }

    private byte[] open(final byte[] message) throws MalformedFrameException {
        final ByteBuffer header = opener.open(ByteBuffer.wrap(message), 0).header();
        final byte[] bytes = new byte[header.remaining()];
        header.get(bytes);
        return bytes;
    }

    private static void assertRefused(final ThrowingCallable opening, final String text) {
        assertThatThrownBy(opening)
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining(text);
    }

    @ParameterizedTest
    @EnumSource(names = {"INTEGRITY", "PRIVACY"})
    void everyTurnedBitOfAHeaderIsNoticed(final Protection protection) throws Exception {
        begin(protection);
        final byte[] header = randomBytes(30);
        final byte[] message = sealed(header);
        for (int bit = 0; bit < message.length * Byte.SIZE; bit++) {
            final byte[] changed = message.clone();
            changed[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            assertRefused(() -> open(changed), "sealed message");
        }
        assertThat(open(message)).isEqualTo(header);
    }

    @ParameterizedTest
    @EnumSource(names = {"INTEGRITY", "PRIVACY"})
    void everyMessageOpensOnceInWhateverOrder(final Protection protection) throws Exception {
        begin(protection);
        final byte[] first = sealed(new byte[] {1});
        final byte[] second = sealed(new byte[] {2});
        final byte[] third = sealed(new byte[] {3});
        assertThat(open(third)).containsExactly(3);
        assertThat(open(first)).containsExactly(1);
        assertRefused(() -> open(first), "sealed message 0: it has come before");
        assertRefused(() -> open(third), "sealed message 2: it has come before");
        assertThat(open(second)).containsExactly(2);
        assertRefused(() -> open(second), "sealed message 1: it has come before");
    }

    @Test
    void aMessageThatComesLongAfterLaterOnesIsRefused() throws Exception {
        begin(Protection.INTEGRITY);
        final byte[] late = sealed(new byte[1]);
        final byte[] lessLate = sealed(new byte[1]);
        for (int i = 2; i < 1 << 14; i++) {
            seal.reserve();
        }
        open(sealed(new byte[1]));
        assertThat(open(lessLate)).hasSize(1);
        assertRefused(() -> open(late), "sealed message 0: it has come before, or long after");
        for (int i = 0; i < 1 << 20; i++) {
            seal.reserve();
        }
        final byte[] far = sealed(new byte[1]);
        assertThat(open(far)).hasSize(1);
        assertRefused(() -> open(far), "it has come before");
    }

    @ParameterizedTest
    @EnumSource(names = {"INTEGRITY", "PRIVACY"})
    void bodiesOpenUnchangedOrNotAtAll(final Protection protection) throws Exception {
        begin(protection);
        for (final int length : new int[] {0, 1, 64 << 10, (64 << 10) + 1, 300_000}) {
            final byte[] plain = randomBytes(length);
            final ByteBuffer body = ByteBuffer.allocateDirect(length).put(plain).flip();
            final long number = seal.reserve();
            final byte[] tags = seal.sealBody(number, body);
            assertThat(tags.length).isLessThanOrEqualTo(MessageSeal.MAX_TAGS);
            final byte[] message = sealed(number, new byte[] {1, 2, 3}, tags);
            final Opened opened = opener.open(ByteBuffer.wrap(message), length);
            assertThat(opened.header().remaining()).isEqualTo(3);
            if (length > 0) {
                final int turned = random.nextInt(length);
                body.put(turned, (byte) (body.get(turned) ^ 4));
                final ByteBuffer changed = ByteBuffer.allocate(length).put(body.duplicate()).flip();
                assertRefused(() -> opener.openBody(opened, changed), "of its body is wrong");
                body.put(turned, (byte) (body.get(turned) ^ 4));
            }
            opener.openBody(opened, body);
            assertThat(body.equals(ByteBuffer.wrap(plain))).isTrue();
        }
    }

    @Test
    void theTagsOfEveryBodyFitIntoAHeader() {
        for (int length = 0; length <= MessageKeys.MAX_BODY; length += 4096) {
            assertThat(MessageKeys.tagsLength(length)).isBetween(0, MessageSeal.MAX_TAGS);
        }
        assertThat(MessageKeys.tagsLength(MessageKeys.MAX_BODY)).isEqualTo(MessageSeal.MAX_TAGS);
    }

    @Test
    void aBodyBelongsToItsMessage() throws Exception {
        begin(Protection.INTEGRITY);
        final ByteBuffer one = ByteBuffer.wrap(randomBytes(100));
        final ByteBuffer other = ByteBuffer.wrap(randomBytes(100));
        final long number = seal.reserve();
        final byte[] message = sealed(number, new byte[1], seal.sealBody(number, one));
        seal.sealBody(seal.reserve(), other);
        final Opened opened = opener.open(ByteBuffer.wrap(message), 100);
        assertRefused(() -> opener.openBody(opened, other), "piece 1 of its body");
    }

    @Test
    void sizesAreBounded() {
        begin(Protection.PRIVACY);
        assertRefused(
                () -> opener.open(ByteBuffer.allocate(MessageSeal.OVERHEAD - 1), 0),
                "header length=-1, expected 0 to " + MAX_HEADER);
        assertRefused(
                () -> opener.open(ByteBuffer.allocate(MAX_HEADER + 100), 0), "header length=");
        assertRefused(
                () -> opener.open(ByteBuffer.allocate(100), (16 << 20) + 1L),
                "body length=16777217, expected 0 to 16777216");
        assertRefused(
                () -> opener.open(ByteBuffer.allocate(MessageSeal.OVERHEAD + 15), 1),
                "header length=15, expected 16 to " + MAX_HEADER);
    }

    @Test
    void afterSoManyMessagesAnotherKeyFollows() {
        begin(Protection.PRIVACY);
        final MessageKeys few = new MessageKeys(keys, 3);
        assertThat(few.of(0)).isEqualTo(few.of(2)).isNotEqualTo(few.of(3));
        assertThat(few.of(2)).isEqualTo(few.newKey(1));
        assertThat(keys.ofRecords(0, 3)).isNotEqualTo(few.of(0));
    }
}
