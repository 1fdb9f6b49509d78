/** {@code spillway install}: turns Spillway on in a cluster's configuration, and off again. */
package io.spillway.cli.install;
