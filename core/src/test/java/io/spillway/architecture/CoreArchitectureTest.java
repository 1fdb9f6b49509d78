package io.spillway.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What core's packages may use. */
@AnalyzeClasses(packages = "io.spillway", importOptions = ImportOption.DoNotIncludeTests.class)
class CoreArchitectureTest {
    @ArchTest
    static final ArchRule usesOnlyTheJdkAndHadoopCommonAndLogging =
            classes()
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "java..",
                            "com.sun.management..",
                            "javax.crypto..",
                            "jdk.net..",
                            "jdk.nio.mapmode..",
                            "io.spillway.bootstrap..",
                            "io.spillway.conf..",
                            "io.spillway.host..",
                            "io.spillway.ifile..",
                            "io.spillway.memory..",
                            "io.spillway.protocol..",
                            "io.spillway.report..",
                            "io.spillway.sort..",
                            "io.spillway.store..",
                            "io.spillway.thread..",
                            "io.spillway.version..",
                            "io.spillway.transport..",
                            "io.spillway.wire..",
                            "org.apache.hadoop.io..",
                            "org.apache.hadoop.fs..",
                            "org.apache.hadoop.conf..",
                            "org.apache.hadoop.util..",
                            "org.slf4j..");

    @ArchTest
    static final ArchRule knowsNeitherNettyNorMapReduce =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.netty..",
                            "org.apache.hadoop.mapred..",
                            "org.apache.hadoop.mapreduce..",
                            "org.apache.hadoop.yarn..");

    @ArchTest
    static final ArchRule livesInItsOwnPackages =
            classes().should().resideInAPackage("io.spillway..");

    @ArchTest
    static final ArchRule hasNoCycles =
            slices().matching("io.spillway.(**)").should().beFreeOfCycles();

    /** The encoding of records knows nothing of how they are sorted and merged. */
    @ArchTest
    static final ArchRule encodingIsBelowSorting =
            noClasses()
                    .that()
                    .resideInAPackage("io.spillway.ifile..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("io.spillway.sort..");

    /** Storing and sending know nothing of records, and settings and reports nothing of either. */
    @ArchTest
    static final ArchRule layersLookDownOnly =
            noClasses()
                    .that()
                    .resideInAnyPackage(
                            "io.spillway.store..",
                            "io.spillway.transport..",
                            "io.spillway.protocol..",
                            "io.spillway.conf..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("io.spillway.sort..", "io.spillway.ifile..");
}
