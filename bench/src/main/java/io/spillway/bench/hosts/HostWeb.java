package io.spillway.bench.hosts;

import io.spillway.bench.site.BriefJvm;
import io.spillway.bench.site.JavaCommand;
import io.spillway.bench.site.Web;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Gets resources from the daemons of emulated hosts, by a process among them that ends with this
 * one. It is started when it is first needed, and again when it has ended. Thread-safe.
 */
public final class HostWeb implements Web {
    private final Supplier<List<String>> prefix;
    private final String classPath;
    private final Map<String, String> environment;
    private Process process;
    private DataInputStream in;
    private DataOutputStream out;

    /**
     * Gets resources as a process of a host would.
     *
     * @param prefix what goes before a command that is to run there
     * @param classPath where our classes are
     * @param environment added to ours
     */
    public HostWeb(
            final Supplier<List<String>> prefix,
            final String classPath,
            final Map<String, String> environment) {
        this.prefix = prefix;
        this.classPath = classPath;
        this.environment = Map.copyOf(environment);
    }

    @Override
    public synchronized byte[] get(final URI uri) throws IOException {
        if (process == null || !process.isAlive()) {
            start();
        }
        try {
            out.writeUTF(uri.toString());
            out.flush();
            return answer(uri);
        } catch (final FileNotFoundException e) {
            throw e;
        } catch (final IOException e) {
            if (!process.isAlive()) {
                process = null;
            }
            throw e;
        }
    }

    private byte[] answer(final URI uri) throws IOException {
        final byte kind = in.readByte();
        final int length = in.readInt();
        if (length < 0 || length > MOST_BYTES) {
            process.destroyForcibly();
            throw new IOException(uri + ": length=" + length + ", expected 0 to " + MOST_BYTES);
        }
        final byte[] body = new byte[length];
        in.readFully(body);
        return switch (kind) {
            case HostWebMain.FOUND -> body;
            case HostWebMain.NOT_FOUND -> throw new FileNotFoundException(text(body));
            default -> throw new IOException(text(body));
        };
    }

    private static String text(final byte[] body) {
        return new String(body, StandardCharsets.UTF_8);
    }

    private void start() throws IOException {
        final List<String> command = new ArrayList<>(prefix.get());
        command.add(JavaCommand.path());
        command.addAll(List.of("-Xmx256m", "-XX:-UsePerfData"));
        command.addAll(BriefJvm.OPTIONS);
        command.addAll(List.of("-cp", classPath, HostWebMain.class.getName()));
        final ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        process = builder.start();
        in = new DataInputStream(process.getInputStream());
        out = new DataOutputStream(process.getOutputStream());
    }
}
