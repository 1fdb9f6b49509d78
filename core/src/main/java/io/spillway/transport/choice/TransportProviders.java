package io.spillway.transport.choice;

import io.spillway.transport.TransportProvider;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one place where transports other than tcp come from: each module names its {@link
 * TransportProvider} as a service. Thread-safe.
 */
public final class TransportProviders {
    private static final Logger LOG = LoggerFactory.getLogger(TransportProviders.class);

    private TransportProviders() {}

    /**
     * The transports on the class path, in its order. Loads nothing native. A provider that cannot
     * be loaded costs its transport, not the job.
     */
    public static List<TransportProvider> installed() {
        final List<TransportProvider> providers = new ArrayList<>();
        final Iterator<TransportProvider> found =
                ServiceLoader.load(
                                TransportProvider.class, TransportProvider.class.getClassLoader())
                        .iterator();
        while (true) {
            try {
                if (!found.hasNext()) {
                    return List.copyOf(providers);
                }
                providers.add(found.next());
            } catch (final ServiceConfigurationError e) {
                LOG.warn("A transport cannot be loaded, and is left out", e);
            }
        }
    }
}
