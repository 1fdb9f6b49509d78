// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.placement;

import io.spillway.engine.spi.OutputPlaces;
import io.spillway.frame.MalformedFrameException;
import io.spillway.placement.client.ServiceClient;
import io.spillway.placement.conf.PlacementKeys;
import io.spillway.placement.message.LocateAnswer;
import io.spillway.placement.message.LocateRequest;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.SegmentPlaces;
import io.spillway.transport.Transport;
import io.spillway.transport.tcp.TcpTransport;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Asks the placement service where outputs of the reducer's job are. That is rare: each question
 * has a connection of its own, and nothing is left to close. Thread-safe.
 */
public final class LocatingService implements OutputPlaces {
    private final Function<String, String> settings;
    private final NodeAddress service;
    private final JobCredentials us;

    LocatingService(
            final Function<String, String> settings,
            final NodeAddress service,
            final JobCredentials us) {
        this.settings = settings;
        this.service = service;
        this.us = us;
    }

    /**
     * The service that the settings name; where they name none, {@link OutputPlaces#NONE}.
     *
     * @param us the job's proof
     */
    public static OutputPlaces of(
            final Function<String, String> settings, final JobCredentials us) {
        final Optional<String> service = PlacementKeys.PLACEMENT_SERVICE.get(settings);
        return service.isEmpty()
                ? NONE
                : new LocatingService(settings, NodeAddress.parse(service.get()), us);
    }

    @Override
    public Map<String, SegmentPlaces> locate(final List<String> outputs)
            throws IOException, InterruptedException {
        final List<List<SegmentPlace>> places;
        final LocateRequest request = new LocateRequest(outputs);
        try (Transport transport = new TcpTransport(settings);
                ServiceClient client = new ServiceClient(transport, service, us)) {
            places = LocateAnswer.decode(client.ask(request.encode())).places();
        } catch (final MalformedFrameException e) {
            throw new IOException(service + ": " + e.getMessage(), e);
        }
        if (places.size() != outputs.size()) {
            throw new IOException(
                    service
                            + ": the places of "
                            + places.size()
                            + " outputs, expected those of "
                            + outputs.size());
        }
        final Map<String, SegmentPlaces> found = new HashMap<>();
        for (int i = 0; i < outputs.size(); i++) {
            if (!places.get(i).isEmpty()) {
                found.put(outputs.get(i), new SegmentPlaces(places.get(i)));
            }
        }
        return found;
    }
}
