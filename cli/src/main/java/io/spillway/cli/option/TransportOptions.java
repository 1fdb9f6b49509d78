// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.option;

import io.spillway.cli.failure.BadInputException;
import io.spillway.conf.InvalidSettingException;
import io.spillway.transport.choice.TransportKeys;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** Over what the reducers of jobs fetch. */
public final class TransportOptions {
    @Option(
            names = "--transport",
            paramLabel = "NAME",
            description =
                    "What reducers fetch with: auto, tcp, ucx or mpi, which the cluster has to"
                            + " serve (default: the jobs' setting).")
    private String transport;

    /**
     * Properties of jobs with the transport added; one that is among them already wins.
     *
     * @throws BadInputException when there is no such transport
     */
    public Map<String, String> with(final Map<String, String> properties) {
        final Map<String, String> all = new TreeMap<>();
        if (transport != null) {
            all.put(TransportKeys.TRANSPORT.name(), name());
        }
        all.putAll(properties);
        return all;
    }

    /**
     * The transport, where one was given.
     *
     * @throws BadInputException when there is no such transport
     */
    public Optional<String> given() {
        return transport == null ? Optional.empty() : Optional.of(name());
    }

    private String name() {
        try {
            return TransportKeys.TRANSPORT.get(property -> transport);
        } catch (final InvalidSettingException e) {
            throw new BadInputException(
                    "--transport " + transport + ": expected " + TransportKeys.TRANSPORT.range());
        }
    }
}
