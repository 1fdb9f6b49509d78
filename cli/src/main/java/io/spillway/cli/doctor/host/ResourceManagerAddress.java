// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import java.net.URI;
import java.util.Map;
import java.util.Optional;

/** Where the ResourceManager's web services are. */
public final class ResourceManagerAddress {
    private static final String YARN = "yarn.resourcemanager.";
    private static final int HTTP_PORT = 8088;
    private static final int HTTPS_PORT = 8090;

    private ResourceManagerAddress() {}

    /**
     * By the properties of a site; the first one where there are several.
     *
     * @return nothing where they name none
     */
    public static Optional<URI> of(final Map<String, String> properties) {
        final boolean isSecure = "HTTPS_ONLY".equals(properties.get("yarn.http.policy"));
        final String property = isSecure ? "webapp.https.address" : "webapp.address";
        final String id = properties.getOrDefault(YARN + "ha.rm-ids", "").split(",", -1)[0].strip();
        final String suffix = id.isEmpty() ? "" : "." + id;
        final String port = ":" + (isSecure ? HTTPS_PORT : HTTP_PORT);
        return set(properties, YARN + property + suffix)
                .or(() -> set(properties, YARN + "hostname" + suffix).map(host -> host + port))
                .map(address -> address.replaceFirst("^0\\.0\\.0\\.0", "localhost"))
                .map(address -> URI.create((isSecure ? "https://" : "http://") + address));
    }

    private static Optional<String> set(final Map<String, String> properties, final String name) {
        return Optional.ofNullable(properties.get(name)).filter(value -> !value.isBlank());
    }
}
