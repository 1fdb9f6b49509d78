package io.spillway.transport.mpi;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class MpiDependenciesTest {
    @Test
    void usesNoOtherTransport() {
        final JavaClasses tested = new ClassFileImporter().importPath(Path.of("target", "classes"));
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "io.spillway.transport",
                        "io.spillway.transport.choice..",
                        "io.spillway.transport.serve..",
                        "io.spillway.transport.mpi..",
                        "io.spillway.stream..",
                        "io.spillway.protocol..",
                        "io.spillway.version..",
                        "io.spillway.wire..",
                        "io.spillway.conf..",
                        "io.spillway.host..",
                        "io.spillway.report..",
                        "io.spillway.store.pool..",
                        "io.spillway.store.tier..",
                        "io.spillway.thread..",
                        "io.netty..",
                        "org.slf4j..",
                        "jdk.net..",
                        "java..")
                .check(tested);
    }
}
