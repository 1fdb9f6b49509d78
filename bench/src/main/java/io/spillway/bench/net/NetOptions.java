package io.spillway.bench.net;

import io.spillway.conf.SpillwayKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What both processes get on their command lines. Immutable.
 *
 * @param host that is served at, or connected to
 * @param port of the control connection; 0 for any free one
 * @param dataLength bytes of the data that are fetched again and again
 * @param fromMemory whether they are served from memory
 * @param mpirun the launcher of MPI, as {@code Mpirun.find} takes it
 * @param properties settings of the transports
 */
record NetOptions(
        String host,
        int port,
        int dataLength,
        boolean fromMemory,
        String mpirun,
        Map<String, String> properties) {
    private static final int PARTS = 5;

    NetOptions {
        properties = Map.copyOf(properties);
    }

    /** With the compiler of an MPI library, unless the settings name one. */
    NetOptions withCompiler(final String compiler) {
        final Map<String, String> all = new TreeMap<>(properties);
        all.putIfAbsent(SpillwayKeys.MPI_COMPILER.name(), compiler);
        return new NetOptions(host, port, dataLength, fromMemory, mpirun, all);
    }

    /** As arguments of a process. */
    List<String> arguments() {
        final List<String> arguments =
                new ArrayList<>(
                        List.of(
                                host,
                                String.valueOf(port),
                                String.valueOf(dataLength),
                                String.valueOf(fromMemory),
                                mpirun));
        new TreeMap<>(properties).forEach((name, value) -> arguments.add(name + "=" + value));
        return arguments;
    }

    /** Reads what {@link #arguments} gave. */
    static NetOptions parse(final List<String> arguments) {
        final Map<String, String> properties = new TreeMap<>();
        for (final String property : arguments.subList(PARTS, arguments.size())) {
            final int assignment = property.indexOf('=');
            properties.put(property.substring(0, assignment), property.substring(assignment + 1));
        }
        return new NetOptions(
                arguments.get(0),
                Integer.parseInt(arguments.get(1)),
                Integer.parseInt(arguments.get(2)),
                Boolean.parseBoolean(arguments.get(3)),
                arguments.get(4),
                properties);
    }
}
