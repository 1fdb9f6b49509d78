/** Versions of protocols, which stores and transports alike have to do with. */
package io.spillway.version;
