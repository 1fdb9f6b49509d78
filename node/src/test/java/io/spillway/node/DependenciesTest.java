package io.spillway.node;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

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
                        "io.spillway.transport..",
                        "io.spillway.wire..",
                        "io.spillway.ifile..",
                        "io.spillway.conf..",
                        "org.apache.hadoop.io..",
                        "org.slf4j..",
                        "java..")
                .check(tested);
    }
}
