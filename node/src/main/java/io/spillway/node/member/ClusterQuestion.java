// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.member;

import io.spillway.placement.ServiceAnswers;
import io.spillway.placement.conf.PlacementKeys;
import io.spillway.placement.secret.ClusterSecret;
import io.spillway.placement.status.PlacementStatus;
import io.spillway.placement.status.StatusJson;
import io.spillway.placement.status.StatusQuestion;
import io.spillway.report.JsonText;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.tcp.TcpKeys;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Asks the placement service how all nodes are, over a connection of its own that proves the
 * cluster's secret. Failures say what to change. Thread-safe; blocks.
 */
public final class ClusterQuestion {
    private final NodeAddress service;
    private final ClusterSecret secret;
    private final TransportProvider tcp;
    private final Function<String, String> settings;

    private ClusterQuestion(
            final NodeAddress service,
            final ClusterSecret secret,
            final TransportProvider tcp,
            final Function<String, String> settings) {
        this.service = service;
        this.secret = secret;
        this.tcp = tcp;
        this.settings = settings;
    }

    /**
     * For the service that the settings name.
     *
     * @throws IllegalArgumentException where they name none, or no secret that can be used
     * @throws IOException where the file of the secret cannot be read
     */
    public static ClusterQuestion of(
            final List<TransportProvider> providers, final Function<String, String> settings)
            throws IOException {
        final NodeAddress service =
                MemberSettings.service(settings)
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                PlacementKeys.PLACEMENT_SERVICE
                                                        + " is none, so there is no cluster to"
                                                        + " show: name the node process that knows"
                                                        + " all nodes, HOST:PORT"));
        final TransportProvider tcp =
                providers.stream()
                        .filter(provider -> provider.name().equals(TransportOffer.TCP))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException("there is no tcp here"));
        return new ClusterQuestion(service, MemberSettings.secret(settings), tcp, settings);
    }

    /**
     * Asks.
     *
     * @return one object of JSON
     * @throws IOException where the service cannot be asked; the message is for an operator
     */
    public String ask() throws IOException {
        try (Transport transport = tcp.newTransport(settings);
                Channel channel = transport.open(service, secret.credentials())) {
            return json(
                    service,
                    StatusQuestion.ask(
                            question -> ServiceAnswers.await(service, channel.call(question))));
        } catch (final FetchException e) {
            throw new IOException(advice(e), e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted").initCause(e);
        }
    }

    /** What a service knows, with its address. */
    public static String json(final NodeAddress service, final PlacementStatus status) {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("service", service.toString());
        map.putAll(StatusJson.of(status));
        return JsonText.of(map);
    }

    private String advice(final FetchException cause) {
        return switch (cause.reason()) {
            case UNAUTHORIZED, UNKNOWN_JOB, NO_SERVICE ->
                    service
                            + " is a node process that has another secret than "
                            + ClusterSecret.SETTING
                            + " here, or is not the placement service: copy the service's file to"
                            + " this host (mode 600) or name the right one, correct "
                            + PlacementKeys.PLACEMENT_SERVICE
                            + ", or start that process with "
                            + PlacementKeys.PLACEMENT_SERVE
                            + "=true";
            case NOT_SPILLWAY ->
                    service
                            + " is the port of a NodeManager with stock's shuffle: "
                            + PlacementKeys.PLACEMENT_SERVICE
                            + " has to be "
                            + TcpKeys.NODE_TCP_PORT
                            + " of a node process";
            case DISCONNECTED, TIMED_OUT ->
                    "no placement service answers at "
                            + service
                            + " ("
                            + cause.getMessage()
                            + "): start the node process there with "
                            + PlacementKeys.PLACEMENT_SERVE
                            + "=true and "
                            + TcpKeys.NODE_TCP_PORT
                            + "="
                            + service.port()
                            + ", or correct "
                            + PlacementKeys.PLACEMENT_SERVICE;
            case PROTOCOL ->
                    "the placement service "
                            + service
                            + " is of another version of Spillway: "
                            + cause.getMessage();
            default -> "the placement service " + service + ": " + cause.getMessage();
        };
    }
}
