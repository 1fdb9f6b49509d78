/** The transport SPI. */
package io.spillway.transport;
