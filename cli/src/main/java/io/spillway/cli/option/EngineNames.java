// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.option;

import io.spillway.cli.run.Engine;
import java.util.Arrays;
import java.util.Iterator;

/** The names of the engines of a job, for usage pages and a shell's completion. */
public final class EngineNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
        return Arrays.stream(Engine.values())
                .filter(engine -> !engine.isOfComparisons())
                .map(Engine::label)
                .iterator();
    }
}
