package io.spillway.cli;

import io.spillway.bench.site.HadoopRuntime;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version of this build. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
        return new String[] {
            "Spillway " + number(),
            "Hadoop " + HadoopRuntime.DEFAULT_VERSION + " by default",
            "Java " + Runtime.version()
        };
    }

    static String number() throws IOException {
        final Properties properties = new Properties();
        try (InputStream resource = Version.class.getResourceAsStream("version.properties")) {
            properties.load(resource);
        }
        return properties.getProperty("version");
    }
}
