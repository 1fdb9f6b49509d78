// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.shared;

import io.spillway.ifile.shared.SharedOutputs;

/**
 * The names by which readers find a map output on a shared file system. Immutable.
 *
 * @param job its id
 * @param host the map's, as reducers learn it
 * @param output its id
 */
public record SharedOutput(String job, String host, String output) {
    /** Whether each can be a part of a place. */
    public boolean isPlain() {
        return SharedOutputs.isPlain(job)
                && SharedOutputs.isPlain(host)
                && SharedOutputs.isPlain(output);
    }
}
