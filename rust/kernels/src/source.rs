//! Where bytes come from: a file mapped into memory, a gzip or zstd file unpacked, standard input, or bytes handed in.

use std::fs::File;
use std::io::Read;
use std::ops::Deref;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use memmap2::Mmap;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::error::{Error, Result};

/// The bytes of one input and the name it has in messages.
#[derive(Debug)]
pub struct Source {
    name: String,
    bytes: Bytes,
}

#[derive(Debug)]
enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Source {
    /// Opens `path`; `-` is standard input. Gzip and zstd are recognised by their first bytes, not by the name.
    pub fn open(path: &str) -> Result<Self> {
        if path == "-" {
            let mut owned = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut owned);
            read.map_err(|e| Error::new("standard input", format!("cannot be read ({e})")))?;
            refuse_packed("standard input", &owned)?;
            return Self::from_bytes("standard input", owned);
        }
        let file = File::open(path).map_err(|e| cannot_open(path, &e))?;
        let about = file.metadata().map_err(|e| cannot_open(path, &e))?;
        if about.is_dir() {
            return Err(Error::new(path, "is a directory, not a file"));
        }
        if !about.is_file() {
            // A pipe or a device cannot be mapped.
            let mut owned = Vec::new();
            let mut file = file;
            file.read_to_end(&mut owned).map_err(|e| cannot_open(path, &e))?;
            refuse_packed(path, &owned)?;
            return Self::from_bytes(path, owned);
        }
        if about.len() == 0 {
            return Self::from_bytes(path, Vec::new());
        }
        // SAFETY: mapping is what lets a file be read without a copy. Another process that truncates the file
        // meanwhile would end this one; the same holds for every reader that maps.
        #[allow(unsafe_code)]
        let mapped = unsafe { Mmap::map(&file) }.map_err(|e| cannot_open(path, &e))?;
        refuse_packed(path, &mapped)?;
        let bytes = unpacked(path, &mapped).transpose()?.map_or(Bytes::Mapped(mapped), Bytes::Owned);
        Ok(Self { name: path.into(), bytes })
    }

    /// Bytes already in memory; unpacked if they are gzip or zstd.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Self> {
        let name = name.into();
        let unpacked = unpacked(&name, &bytes).transpose()?;
        Ok(Self { name, bytes: Bytes::Owned(unpacked.unwrap_or(bytes)) })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text without a leading byte order mark.
    pub fn text(&self) -> &[u8] {
        let all: &[u8] = self;
        all.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(all)
    }
}

impl Deref for Source {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped(map) => map,
            Bytes::Owned(vec) => vec,
        }
    }
}

/// Appends what packed bytes hold to a text.
type Unpack = fn(&[u8], &mut Vec<u8>) -> std::result::Result<(), String>;

/// The text of packed bytes, or `None` if they are not packed.
fn unpacked(name: &str, bytes: &[u8]) -> Option<Result<Vec<u8>>> {
    let (kind, unpack): (_, Unpack) = match bytes {
        [0x1f, 0x8b, ..] => ("gzip", gunzip),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => ("zstd", unzstd),
        _ => return None,
    };
    let mut out = Vec::with_capacity(bytes.len().saturating_mul(4));
    let result = unpack(bytes, &mut out);
    Some(match result {
        Ok(()) => Ok(out),
        Err(e) => Err(Error::new(name, format!("the {kind} data are damaged or cut off after {} bytes of text ({e})", out.len()))
            .hint(format!("copy or download the file again, and test it with `{kind} -t`."))),
    })
}

/// Beginnings of files that other programs packed; none of them is text.
const PACKED: [(&str, &[u8]); 3] = [("zip", b"PK\x03\x04"), ("xz", b"\xFD7zXZ\0"), ("bzip2", b"BZh91AY&SY")];

fn refuse_packed(name: &str, bytes: &[u8]) -> Result<()> {
    match PACKED.iter().find(|(_, beginning)| bytes.starts_with(beginning)) {
        Some((packer, _)) => {
            Err(Error::new(name, format!("is packed with {packer}")).hint("unpack it first; gzip and zstd are read as they are."))
        }
        None => Ok(()),
    }
}

fn gunzip(packed: &[u8], out: &mut Vec<u8>) -> std::result::Result<(), String> {
    MultiGzDecoder::new(packed).read_to_end(out).map(drop).map_err(|e| e.to_string())
}

/// All frames, one after the other. A frame whose window is beyond the decoder's limit of 128 MB is refused.
fn unzstd(mut packed: &[u8], out: &mut Vec<u8>) -> std::result::Result<(), String> {
    while !packed.is_empty() {
        match StreamingDecoder::new(&mut packed) {
            Ok(mut frame) => {
                frame.read_to_end(out).map_err(|e| e.to_string())?;
                let (known, found) = (frame.decoder.get_checksum_from_data(), frame.decoder.get_calculated_checksum());
                if known.is_some() && known != found {
                    return Err("a checksum does not fit".into());
                }
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                packed = packed.get(length as usize..).ok_or("a frame is cut off")?;
            }
            Err(e) => return Err(e.to_string()),
        }
    }
    Ok(())
}

/// A zstd frame that holds these bytes.
pub fn pack_zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

fn cannot_open(path: &str, error: &std::io::Error) -> Error {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => {
            let hint = match Path::new(path).parent() {
                Some(parent) if !parent.as_os_str().is_empty() && !parent.exists() => {
                    format!("there is no folder {} either; check the path.", parent.display())
                }
                _ => "check the path; `-` reads standard input.".to_string(),
            };
            Error::new(path, "no such file").hint(hint)
        }
        ErrorKind::PermissionDenied => Error::new(path, "no permission to read this file"),
        _ => Error::new(path, format!("cannot be read ({error})")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> Vec<u8> {
        (0..20_000).flat_map(|i| format!("q{} Q0 d{} 1 {} t\n", i / 100, i * 7 % 1000, i % 13).into_bytes()).collect()
    }

    fn read(bytes: Vec<u8>) -> Result<Vec<u8>> {
        Source::from_bytes("t", bytes).map(|source| source.text().to_vec())
    }

    #[test]
    fn frames_one_after_the_other_are_one_text() {
        let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"any"].concat();
        let packed = [pack_zstd(&text()), skipped, pack_zstd(b"end\n")].concat();
        assert_eq!(read(packed), Ok([text(), b"end\n".to_vec()].concat()));
    }

    #[test]
    fn cut_or_changed_frames_are_refused_or_give_the_same_text() {
        let packed = pack_zstd(&text());
        for at in (4..packed.len()).step_by(97) {
            assert!(read(packed[..at].to_vec()).is_err(), "cut at {at}");
            let mut changed = packed.clone();
            changed[at] ^= 0x55;
            // A change of the checksum's flag or the like may leave the text as it was, but never gives another.
            if let Ok(found) = read(changed) {
                assert_eq!(found, text(), "changed at {at}");
            }
        }
    }
}
