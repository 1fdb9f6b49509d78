package io.spillway.bench.net;

import io.spillway.bench.BadInputException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A way for bytes between the two processes. Immutable.
 *
 * @param kind what carries them
 * @param tls UCX's transports, as {@code posix+cma}; {@code default} for the setting's default;
 *     empty where there is no UCX
 */
public record TransportVariant(Kind kind, String tls) {
    /** What jobs use that set nothing. */
    public static final String DEFAULT_TLS = "default";

    /** The setting that a list of UCX's transports goes to. */
    static final String TLS_SETTING = "spillway.ucx.tls";

    private static final Pattern TLS = Pattern.compile("[a-z0-9_]{1,20}([+][a-z0-9_]{1,20}){0,9}");

    /** What carries bytes. */
    public enum Kind {
        /** Requests and answers over a TCP socket, with nothing around them. */
        RAW_TCP("raw-tcp"),
        /** Spillway's transport tcp. */
        TCP("tcp"),
        /** Spillway's transport ucx. */
        UCX("ucx"),
        /** Spillway's transport mpi. */
        MPI("mpi"),
        /** UCX's own test. */
        PERFTEST("ucx_perftest"),
        /** Messages of the MPI library between two ranks, with nothing around them. */
        MPI_LIBRARY("mpi library"),
        /** By the MPI library one blocking request a segment, which comes as one message. */
        SEMEM("SEMem's way");

        private final String label;

        Kind(final String label) {
            this.label = label;
        }

        /** Whether programs of others are measured, which warm up by themselves. */
        boolean isOthers() {
            return this == PERFTEST || this == MPI_LIBRARY || this == SEMEM;
        }
    }

    /** Checks the list. */
    public TransportVariant {
        final boolean needsTls = kind == Kind.UCX || kind == Kind.PERFTEST;
        if (needsTls ? !TLS.matcher(tls).matches() : !tls.isEmpty()) {
            throw new BadInputException(
                    "UCX transports '" + tls + "': expected names such as tcp, shm or posix+cma");
        }
    }

    /** A way without UCX. */
    public TransportVariant(final Kind kind) {
        this(kind, "");
    }

    /** Its name in tables, files and between the two processes. */
    public String label() {
        return tls.isEmpty() ? kind.label : kind.label + "/" + tls;
    }

    /** The way of a name. */
    public static TransportVariant parse(final String label) {
        final int slash = label.indexOf('/');
        final String name = slash < 0 ? label : label.substring(0, slash);
        for (final Kind kind : Kind.values()) {
            if (kind.label.equals(name)) {
                return new TransportVariant(kind, slash < 0 ? "" : label.substring(slash + 1));
            }
        }
        throw new BadInputException("way '" + label + "': expected one of " + names());
    }

    private static List<String> names() {
        final List<String> names = new ArrayList<>();
        for (final Kind kind : Kind.values()) {
            names.add(kind.label);
        }
        return names;
    }

    /** UCX's transports as {@code UCX_TLS} takes them; empty for the default. */
    String ucxTls() {
        return tls.equals(DEFAULT_TLS) ? "" : tls.replace('+', ',');
    }

    /** The settings with this way's own added. */
    public Map<String, String> settings(final Map<String, String> others) {
        if (kind != Kind.UCX || ucxTls().isEmpty()) {
            return others;
        }
        final Map<String, String> all = new HashMap<>(others);
        all.put(TLS_SETTING, ucxTls());
        return all;
    }

    /** What it is measured against: the same bytes without Spillway. */
    TransportVariant baseline() {
        return switch (kind) {
            case UCX -> new TransportVariant(Kind.PERFTEST, tls);
            case MPI, MPI_LIBRARY, SEMEM -> new TransportVariant(Kind.MPI_LIBRARY);
            case RAW_TCP, TCP, PERFTEST -> new TransportVariant(Kind.RAW_TCP);
        };
    }
}
