package io.spillway.node;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class DependenciesTest {
    @Test
    void usesCoreTransportsAndHadoopCommonOnly() {
        final JavaClasses tested = new ClassFileImporter().importPath(Path.of("target", "classes"));
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "io.spillway.node..",
                        "io.spillway.report..",
                        "io.spillway.transport.held..",
                        "io.spillway.protocol..",
                        "io.spillway.transport..",
                        "io.spillway.wire..",
                        "io.spillway.ifile..",
                        "io.spillway.conf..",
                        "io.spillway.host..",
                        "io.spillway.store..",
                        "io.spillway.thread..",
                        "io.spillway.version..",
                        "org.apache.hadoop.conf..",
                        "org.apache.hadoop.io..",
                        "com.sun.management..",
                        "com.sun.net.httpserver..",
                        "jdk.net..",
                        "org.slf4j..",
                        "java..",
                        "javax.crypto..")
                .check(tested);
    }

    /** Handlers, the command and the process meet in the control protocol alone. */
    @Test
    void theControlProtocolKnowsNeitherEnd() {
        final JavaClasses tested = new ClassFileImporter().importPath(Path.of("target", "classes"));
        noClasses()
                .that()
                .resideInAPackage("io.spillway.node.control..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.spillway.node.process..", "io.spillway.node.launch..")
                .check(tested);
    }
}
