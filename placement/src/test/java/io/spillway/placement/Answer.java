// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.FetchException;
import io.spillway.transport.serve.NodeService;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** What a service answers; a second answer to one question is an error. */
final class Answer implements NodeService.Reply {
    private final CompletableFuture<ByteBuffer> bytes = new CompletableFuture<>();

    static CompletableFuture<ByteBuffer> of(
            final NodeService service, final String caller, final ByteBuffer request) {
        final Answer answer = new Answer();
        service.call(caller, request, answer);
        return answer.bytes;
    }

    @Override
    public void done(final ByteBuffer answer) {
        assertThat(bytes.complete(answer)).isTrue();
    }

    @Override
    public void failed(final FetchException cause) {
        assertThat(bytes.completeExceptionally(cause)).isTrue();
    }
}
