/** The command that runs all tests. */
package io.spillway.cli.test;
