package io.spillway.cli;

import io.spillway.bench.engine.Engine;
import java.util.Arrays;
import java.util.List;

/** Reads engines such as stock,spillway. */
final class EngineList {
    private EngineList() {}

    static List<Engine> parse(final String names) {
        return Arrays.stream(names.split(",", -1)).map(Engine::parse).toList();
    }
}
