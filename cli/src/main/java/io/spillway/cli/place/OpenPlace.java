// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.place;

import io.spillway.cli.site.HadoopSite;

/**
 * A site, and what ends with the command.
 *
 * @param site where jobs run
 * @param end what closing does
 */
public record OpenPlace(HadoopSite site, Runnable end) implements AutoCloseable {
    @Override
    public void close() {
        end.run();
    }
}
