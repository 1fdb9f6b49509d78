// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.option;

import io.spillway.cli.run.Engine;
import java.util.Iterator;

/** The names of all engines, for usage pages and a shell's completion. */
public final class EngineNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
        return Engine.labels().iterator();
    }
}
