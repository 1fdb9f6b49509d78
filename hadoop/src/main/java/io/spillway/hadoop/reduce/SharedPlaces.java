// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import io.spillway.engine.spi.OutputEvent;
import io.spillway.engine.spi.OutputPlaces;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.SegmentPlaces;
import io.spillway.transport.sharedfs.SharedTransport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows which outputs of a node that is gone lie on the shared file system; asks others for the
 * rest. Thread-safe.
 */
final class SharedPlaces implements OutputPlaces {
    private static final Logger LOG = LoggerFactory.getLogger(SharedPlaces.class);

    private final SharedTransport transport;
    private final String jobId;
    private final OutputPlaces others;

    /** The hosts of maps, by the names of their outputs. */
    private final Map<String, String> hosts = new ConcurrentHashMap<>();

    SharedPlaces(final SharedTransport transport, final String jobId, final OutputPlaces others) {
        this.transport = transport;
        this.jobId = jobId;
        this.others = others;
    }

    /** Learns where outputs were made. */
    void note(final List<OutputEvent> events) {
        for (final OutputEvent event : events) {
            if (event instanceof OutputEvent.Ready ready) {
                hosts.put(ready.output().name(), ready.node().host());
            }
        }
    }

    @Override
    public Map<String, SegmentPlaces> locate(final List<String> outputs)
            throws IOException, InterruptedException {
        final Map<String, SegmentPlaces> found = new HashMap<>();
        final List<String> rest = new ArrayList<>();
        for (final String output : outputs) {
            final SegmentPlace place = placeOf(output);
            if (place == null) {
                rest.add(output);
            } else {
                found.put(output, SegmentPlaces.of(place));
            }
        }
        if (!rest.isEmpty() && others != NONE) {
            found.putAll(others.locate(rest));
        }
        return found;
    }

    private SegmentPlace placeOf(final String output) {
        final String host = hosts.get(output);
        try {
            return host == null ? null : transport.placeOf(jobId, host, output);
        } catch (final IOException e) {
            LOG.warn(
                    "{} of {} cannot be read through the shared file system: {}",
                    output,
                    host,
                    e.getMessage());
            LOG.debug("Looking for {} failed", output, e);
            return null;
        }
    }
}
